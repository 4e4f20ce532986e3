import { CopyText, Problem } from "./small.tsx";

/** Nothing of any session is shown before the server knows the browser. */
export const SignedOut = ({ problem }: { problem: string | undefined }) => (
  <main class="signed-out">
    <h1>tempi</h1>
    <Problem text={problem} />
    <p>This browser is not signed in. Run this where tempi runs, and open the link it prints:</p>
    <p>
      <CopyText text="tempi web" />
    </p>
    <p class="facts">For a phone on the same network: tempi web --lan, and scan the picture.</p>
  </main>
);
