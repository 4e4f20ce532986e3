import { useEffect, useState } from "preact/hooks";
import { sentence } from "../../../agent/format.ts";
import type { NewSessionOptions, StartAnswer, StartRequest } from "../../api.ts";
import { pathOfSession } from "../model/route.ts";
import { failureText, post, randomText, read } from "../state/api.ts";
import { navigate } from "../state/router.ts";
import { Problem } from "./small.tsx";

const sessionIdAlphabet = "23456789abcdefghjkmnpqrstvwxyz";

/** Starts a session. `alone`: it has the main column to itself. */
export function NewSession({ alone = false }: { alone?: boolean }) {
  const [options, setOptions] = useState<NewSessionOptions>();
  const [folder, setFolder] = useState("");
  const [prompt, setPrompt] = useState("");
  const [model, setModel] = useState("");
  const [problem, setProblem] = useState<string>();
  // One id for all tries: sent twice it is one session.
  const [id] = useState(() => randomText(sessionIdAlphabet, 6));
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    read<NewSessionOptions>("/api/new").then(
      (found) => {
        setOptions(found);
        setFolder((chosen) => chosen || (found.folders[0]?.cwd ?? ""));
      },
      (error) => setProblem(failureText(error)),
    );
  }, []);
  const ready = prompt.trim() !== "" && folder.trim() !== "" && !busy;
  const start = async (): Promise<void> => {
    if (!ready) return;
    setBusy(true);
    try {
      const more = model.trim() === "" ? {} : { model: model.trim() };
      const answer = await post<StartAnswer, StartRequest>("/api/sessions", {
        id,
        prompt,
        cwd: folder.trim(),
        ...more,
      });
      navigate(pathOfSession(answer.sessionId));
    } catch (error) {
      setProblem(failureText(error));
      setBusy(false);
    }
  };
  const noModel = options?.error;
  const form = (
    <form
      class="new-session"
      aria-label="New session"
      onSubmit={(event) => {
        event.preventDefault();
        void start();
      }}
    >
      <Problem text={problem} />
      <label>
        What is to be done
        <textarea rows={4} value={prompt} onInput={(event) => setPrompt(event.currentTarget.value)} />
      </label>
      <label>
        Folder
        <input
          type="text"
          list="known-folders"
          value={folder}
          spellcheck={false}
          placeholder="/absolute/path"
          onInput={(event) => setFolder(event.currentTarget.value)}
        />
      </label>
      <datalist id="known-folders">
        {options?.folders.map(({ cwd, repository }) => (
          <option key={cwd} value={cwd}>
            {repository}
          </option>
        ))}
      </datalist>
      <label>
        Model
        <input
          type="text"
          value={model}
          spellcheck={false}
          placeholder={options?.model ?? "provider/model"}
          onInput={(event) => setModel(event.currentTarget.value)}
        />
      </label>
      {noModel && model.trim() === "" && (
        <p class="facts">
          {sentence(noModel.error)} Name one above{noModel.next ? `, or: ${noModel.next}` : ""}.
        </p>
      )}
      <button type="submit" class="primary" aria-disabled={!ready}>
        Start
      </button>
    </form>
  );
  if (!alone) return form;
  return (
    <div class="scroll">
      <div class="column">
        <h1>New session</h1>
        {form}
      </div>
    </div>
  );
}
