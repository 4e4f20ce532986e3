// Ctrl-Z against a fake terminal: which processes are stopped, and that the terminal comes back.
import { afterEach, expect, test, vi } from "vitest";
import { RawTerminal } from "../../../src/cli/follow/raw-terminal.ts";
import { FakeInput, FakeOutput } from "../../support/fake-cli-services.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function suspended() {
  vi.useFakeTimers();
  const stdin = new FakeInput(true);
  const seen: unknown[] = [];
  vi.spyOn(process, "kill").mockImplementation((pid, signal) => {
    seen.push([pid, signal, stdin.raw]);
    return true;
  });
  const terminal = new RawTerminal({ stdin, stdout: new FakeOutput(true) }, () => {});
  const resumed = vi.fn();
  terminal.suspend(resumed);
  return { stdin, seen, terminal, resumed };
}

test("Ctrl-Z stops the whole group after the terminal was put back, and SIGCONT takes it again", () => {
  const { stdin, seen, terminal, resumed } = suspended();
  expect(seen).toEqual([[0, "SIGTSTP", false]]);
  process.emit("SIGCONT", "SIGCONT");
  expect(stdin.raw).toBe(true);
  vi.advanceTimersByTime(1_000);
  expect(resumed).toHaveBeenCalledTimes(1);
  expect(process.listenerCount("SIGCONT")).toBe(0);
  terminal.close();
  expect(stdin.raw).toBe(false);
});

test("where the kernel ignores the stop the keys work again", () => {
  const { stdin, terminal, resumed } = suspended();
  vi.advanceTimersByTime(300);
  expect(stdin.raw).toBe(true);
  expect(resumed).toHaveBeenCalledTimes(1);
  terminal.close();
});
