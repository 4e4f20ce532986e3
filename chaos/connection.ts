import { type ClientContext, closeContext, openContext } from "../src/client/client-context.ts";
import { connectSessionClient } from "../src/client/connect.ts";
import type { SessionClient } from "../src/client/contract.ts";
import type { World } from "./world.ts";

/** The product's client, and the engine's own for signals that the product would not send. */
export interface ChaosConnection {
  sessions: SessionClient;
  context: ClientContext;
  close(): Promise<void>;
}

export async function connect(world: World): Promise<ChaosConnection> {
  const options = { address: world.state()!.address, namespace: "default", home: world.home };
  const sessions = await connectSessionClient(options);
  const context = await openContext(options);
  return {
    sessions,
    context,
    close: async () => {
      await sessions.close();
      await closeContext(context);
    },
  };
}
