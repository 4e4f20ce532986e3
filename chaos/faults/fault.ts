import type { Approver } from "../approver.ts";
import type { Driver } from "../driver.ts";
import type { Follower } from "../followers.ts";
import type { Keeper } from "../keeper.ts";
import type { ModelServer } from "../model/server.ts";
import type { Random } from "../random.ts";
import type { World } from "../world.ts";

export interface PlacedFault {
  number: number;
  kind: string;
  /** Milliseconds since 1970: when it struck, and from when on everything could go on again. */
  at: number;
  liftedAt: number;
  /** Ids of sessions that had a call or a stream under way that it touched. Empty: it did not hit. */
  hit: string[];
}

/** What a fault can reach. */
export interface Victims {
  world: World;
  model: ModelServer;
  drivers: readonly Driver[];
  followers: readonly Follower[];
  approver: Approver;
  keeper: Keeper;
  /** Sessions with a call or stream under way now. */
  underWay(): Set<string>;
  idOf(session: number): string;
  random: Random;
}

/** What came of it: whom it touched, and when it was over (absent: at once). */
export interface Struck {
  at: number;
  hit: Iterable<string>;
  liftedAt?: number;
}

export type Fault = (victims: Victims) => Promise<Struck>;
