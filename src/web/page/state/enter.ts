import { signal } from "@preact/signals";
import { sentence } from "../../../agent/format.ts";
import type { LoginRequest, Me, PairRequest } from "../../api.ts";
import { ApiFailure, failureText, post, read, signedIn } from "./api.ts";
import { navigate, route } from "./router.ts";

export const me = signal<Me | undefined>(undefined);
/** Why a link or code did not open the page. */
export const enterProblem = signal<string | undefined>(undefined);

/** Takes a link's secret if there is one, then asks who we are. The secret leaves the address bar before anything else. */
export async function enter(): Promise<void> {
  const asked = route.value;
  if (asked.page === "enter") {
    navigate("/", "replace");
    await exchange(asked.way, asked.secret);
  }
  for (;;) {
    try {
      me.value = await read<Me>("/api/me");
      return;
    } catch (error) {
      if (error instanceof ApiFailure && error.status === 401) return;
      enterProblem.value = failureText(error);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  }
}

async function exchange(way: "login" | "pair", secret: string): Promise<void> {
  try {
    if (way === "login") await post<void, LoginRequest>("/api/login", { token: secret });
    else await post<void, PairRequest>("/api/pair", { code: secret });
    signedIn.value = undefined;
  } catch (error) {
    enterProblem.value =
      error instanceof ApiFailure && error.status === 403 ? refusedText(way, error) : failureText(error);
  }
}

const refusedText = (way: "login" | "pair", error: ApiFailure): string =>
  way === "pair"
    ? `This code cannot be used: ${sentence(error.message)} A code works once, for 5 minutes. Next: run \`tempi web --lan\` for a new one.`
    : `This link does not fit: ${sentence(error.message)} Next: run \`tempi web\` and open the link it prints.`;
