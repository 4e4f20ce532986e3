import { configureProofText } from "../src/protocol/proof.ts";
import type { ConfigureSignal, SessionInput } from "../src/protocol/session.ts";
import { verifyProof } from "./activities.ts";
import type { SessionRecord } from "./session-record.ts";

const modelName = ({ provider, model }: SessionInput["settings"]["model"]) => `${provider}/${model}`;

/** What a person may change while the session lives. Takes effect at the next request to the model. */
export class Settings {
  readonly now: SessionInput["settings"];
  title: string;
  readonly #record: SessionRecord;

  constructor(input: SessionInput, record: SessionRecord) {
    this.now = { ...(input.previous?.carried.settings ?? input.settings) };
    this.title = input.title;
    this.#record = record;
  }

  /** Less asking, and where everything is sent, are decisions: such a change needs a proof like one. */
  async configure(changes: ConfigureSignal): Promise<void> {
    const { model, thinking, activeTools, approval, title } = changes;
    if ((approval || model) && !(await this.#proved(changes))) {
      this.#record.emit({
        type: "notice",
        text: "a change of approval level or model carried no valid proof and was ignored",
      });
      return;
    }
    if (model) {
      this.now.model = model;
      this.#record.describe({ model: modelName(model) });
    }
    if (thinking) this.now.thinking = thinking;
    if (activeTools) this.now.activeTools = activeTools;
    if (approval) this.now.approval = approval;
    if (title) {
      this.title = title;
      this.#record.describe({ title });
    }
    const told = {
      ...(model ? { model: modelName(model) } : {}),
      ...(thinking ? { thinking } : {}),
      ...(activeTools ? { activeTools: activeTools.join(", ") } : {}),
      ...(approval ? { approval } : {}),
      ...(title ? { title } : {}),
    };
    if (Object.keys(told).length > 0) this.#record.emit({ type: "configured", changes: told });
  }

  async #proved(changes: ConfigureSignal): Promise<boolean> {
    const text = configureProofText(this.#record.sessionId, changes);
    const summary = `settings: ${[changes.approval, changes.model?.model].filter(Boolean).join(", ")}`.slice(0, 120);
    return (await verifyProof.executeWithOptions({ summary }, [{ text, proof: changes.proof ?? "" }])).valid;
  }
}
