import type { SessionView } from "../../api.ts";
import { readableText } from "../model/parts.ts";
import { Diff } from "./diff.tsx";

/** Every change that was recorded, by file, in the order it was made. */
export function Files({ account }: { account: SessionView | undefined }) {
  if (account === undefined) return null;
  if (account.files.length === 0) return <p class="facts">No file was changed by edit or write.</p>;
  return (
    <div class="files">
      {account.files.map(({ path, added, removed, patches }) => (
        <details key={path} open={account.files.length <= 10}>
          <summary>
            <code>{readableText(path)}</code> <span class="plus">+{added}</span> <span class="minus">−{removed}</span>
          </summary>
          {patches.map((patch, at) => (
            <Diff key={at} patch={patch} label={`Change ${at + 1} of ${readableText(path)}`} />
          ))}
          {patches.length === 0 && <p class="facts">The changes themselves were not recorded.</p>}
        </details>
      ))}
    </div>
  );
}
