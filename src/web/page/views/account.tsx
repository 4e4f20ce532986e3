import { copyable, costOf, count, tokens } from "../../../agent/format.ts";
import { groupOf } from "../../../agent/session-groups.ts";
import type { SessionView, SettingsRequest } from "../../api.ts";
import { signOfState } from "../model/overview.ts";
import { readableText } from "../model/parts.ts";
import { failureText, post } from "../state/api.ts";
import type { SessionStore } from "../state/session-store.ts";
import { CopyText, Line, Sign } from "./small.tsx";
import { Markdown } from "./tree.tsx";

const mostFailures = 5;

/** What one reads in the morning: the answer, the files, the commands, and what to do next. */
export function Account({ store }: { store: SessionStore }) {
  const account = store.account.value;
  if (account === undefined) return <section class="account opening" aria-label="Account" />;
  const { answer, cause, next, summary } = account;
  const working = groupOf(summary.state) === "Working";
  return (
    <section class="account" aria-label="Account">
      <h2 class="only-read">Account</h2>
      {cause !== undefined && (
        <p class={`cause state-${summary.state}`}>
          <Sign state={signOfState[summary.state]} words="cause" />
          <Line text={cause} />
        </p>
      )}
      {answer !== "" && !working && (
        <div class="answer">
          <Markdown text={answer} />
        </div>
      )}
      <dl class="ledger">
        <dt>used</dt>
        <dd>
          {count(account.turns, "turn")} · {tokens(account.usage)} · {costOf(account.usage)}
        </dd>
        <FilesLine account={account} />
        <CommandLines account={account} />
        {account.rules.length > 0 && <Rules store={store} account={account} />}
        <dt>next</dt>
        <dd>
          <NextStep id={summary.id} state={summary.state} {...(next === undefined ? {} : { next })} />
        </dd>
      </dl>
    </section>
  );
}

function NextStep({ id, state, next }: { id: string; state: SessionView["summary"]["state"]; next?: string }) {
  const command =
    state === "waiting"
      ? `tempi approve ${id}`
      : groupOf(state) === "Working"
        ? `tempi attach ${id}`
        : `tempi send ${id} "…"`;
  const text = next === undefined ? command : copyable(next);
  return /^tempi\s/.test(text) ? <CopyText text={readableText(text)} /> : <Line text={text} />;
}

function FilesLine({ account: { files } }: { account: SessionView }) {
  if (files.length === 0) return null;
  const shown = files.slice(0, 8);
  return (
    <>
      <dt>files</dt>
      <dd>
        <ul class="plain-list">
          {shown.map(({ path, added, removed }) => (
            <li key={path}>
              <span class="plus">+{added}</span> <span class="minus">−{removed}</span> <code>{readableText(path)}</code>
            </li>
          ))}
        </ul>
        {files.length > shown.length && (
          <span class="facts">{count(files.length - shown.length, "more file")}: see Files</span>
        )}
      </dd>
    </>
  );
}

function CommandLines({ account: { commands } }: { account: SessionView }) {
  if (commands.run === 0) return null;
  const { failed, lastTest } = commands;
  return (
    <>
      <dt>commands</dt>
      <dd>
        {commands.run} run, {failed.length} failed
        <ul class="plain-list">
          {failed.slice(-mostFailures).map((run, at) => (
            <li key={at}>
              <Sign state="failed" />
              <code>{readableText(run.command)}</code> <span class="facts">{codeText(run.exitCode)}</span>
            </li>
          ))}
        </ul>
      </dd>
      {lastTest && (
        <>
          <dt>last test</dt>
          <dd>
            <Sign state={lastTest.failed ? "failed" : "done"} />
            <code>{readableText(lastTest.command)}</code> <span class="facts">{codeText(lastTest.exitCode)}</span>
          </dd>
        </>
      )}
    </>
  );
}

const codeText = (exitCode: number | undefined): string =>
  exitCode === undefined ? "no exit code" : `exit ${exitCode}`;

function Rules({ store, account }: { store: SessionStore; account: SessionView }) {
  const forget = async (key: string): Promise<void> => {
    try {
      await post<void, SettingsRequest>(`/api/sessions/${store.id}/settings`, { forget: [key] });
      await store.refreshAccount();
    } catch (error) {
      store.problem.value = failureText(error);
    }
  };
  return (
    <>
      <dt>rules</dt>
      <dd>
        <ul class="plain-list">
          {account.rules.map((rule) => (
            <li key={rule.key}>
              <code>{readableText(rule.text)}</code> <span class="facts">by {readableText(rule.by)}</span>{" "}
              <button
                type="button"
                class="quiet"
                aria-label={`Take back: ${readableText(rule.text)}`}
                onClick={() => void forget(rule.key)}
              >
                take back
              </button>
            </li>
          ))}
        </ul>
      </dd>
    </>
  );
}
