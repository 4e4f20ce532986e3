import { signedIn } from "../state/api.ts";
import { enterProblem } from "../state/enter.ts";
import { isPhone } from "../state/media.ts";
import { overview } from "../state/overview.ts";
import { route } from "../state/router.ts";
import { chosen } from "../state/sessions.ts";
import { Header } from "./header.tsx";
import { Help } from "./help.tsx";
import { Home } from "./home.tsx";
import { NewSession } from "./new-session.tsx";
import { Session } from "./session.tsx";
import { SessionList } from "./session-list.tsx";
import { SignedOut } from "./signed-out.tsx";

export function App() {
  if (signedIn.value === false) return <SignedOut problem={enterProblem.value} />;
  if (signedIn.value === undefined || overview.value === undefined) {
    return <main class="opening">{enterProblem.value ?? ""}</main>;
  }
  const phone = isPhone.value;
  const { page } = route.value;
  return (
    <div class="shell">
      <Header />
      <div class="columns">
        {!phone && (
          <nav class="session-list scroll" aria-label="Sessions">
            <SessionList groups={["Needs you", "Working", "Done"]} />
          </nav>
        )}
        <main class="main">
          <MainColumn page={page} />
        </main>
      </div>
      <Help />
    </div>
  );
}

function MainColumn({ page }: { page: string }) {
  switch (page) {
    case "session":
      return chosen.value ? <Session key={chosen.value.id} store={chosen.value} /> : null;
    case "new":
      return <NewSession alone />;
    case "home":
    case "enter":
      return <Home />;
    default:
      return (
        <div class="scroll">
          <div class="column">
            <h1>There is no such page</h1>
            <p>
              <a href="/">To what needs you</a>
            </p>
          </div>
        </div>
      );
  }
}
