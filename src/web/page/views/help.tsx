import { useEffect, useRef } from "preact/hooks";
import { helpIsOpen, keyHelp } from "../state/keys.ts";

export function Help() {
  const dialog = useRef<HTMLDialogElement>(null);
  const open = helpIsOpen.value;
  useEffect(() => {
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);
  return (
    <dialog
      ref={dialog}
      aria-labelledby="help-heading"
      onClose={() => {
        helpIsOpen.value = false;
      }}
    >
      <h2 id="help-heading">Keys</h2>
      <dl class="keys">
        {keyHelp.map(([keys, what]) => (
          <div key={keys}>
            <dt>
              {keys.split(" ").map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <p class="facts">No key allows or denies anything: that takes the button itself.</p>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}
