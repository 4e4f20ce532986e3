import type { ComponentChildren } from "preact";

interface Props<Name extends string> {
  names: readonly Name[];
  chosen: Name;
  onChoose: (name: Name) => void;
  children: ComponentChildren;
}

/** Tabs as the ARIA practice describes them: arrows move between them, Tab goes on into the panel. */
export function Tabs<Name extends string>({ names, chosen, onChoose, children }: Props<Name>) {
  const move = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const next = names[(names.indexOf(chosen) + step + names.length) % names.length]!;
    onChoose(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <>
      <div class="tabs" role="tablist" aria-label="Parts of the session" onKeyDown={move}>
        {names.map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`tab-${name}`}
            aria-selected={name === chosen}
            aria-controls="tab-panel"
            tabIndex={name === chosen ? 0 : -1}
            onClick={() => onChoose(name)}
          >
            {name}
          </button>
        ))}
      </div>
      <div role="tabpanel" id="tab-panel" aria-labelledby={`tab-${chosen}`}>
        <h2 class="only-read">{chosen}</h2>
        {children}
      </div>
    </>
  );
}
