import type { Evidence, SessionEvidence } from "../evidence.ts";
import { groupText, outsideFile, ownFile, sharedFile, slotOf, versionText } from "../script.ts";
import type { Finding, Invariant } from "./invariant.ts";

const marks = (text: string): string[] => text.match(/^mark s\d+p\d+t\d+c\d+$/gm)?.map((line) => line.slice(5)) ?? [];

/** A shared file without its marks is what it was before anyone marked it. */
export const isWholeGroupFile = (text: string, group: number, members: readonly number[]): boolean =>
  text.replaceAll(/^mark s\d+p\d+t\d+c\d+\n/gm, "") === groupText(group, members);

const membersOf = ({ sessions }: Evidence, group: number): number[] =>
  sessions.filter(({ plan }) => plan.group === group).map(({ plan }) => plan.index);

/** I5: every file has one of its legal contents, and no temporary file is left. */
export const filesWhole: Invariant = {
  name: "I5 whole",
  check: (evidence) => {
    const findings: Finding[] = [];
    let checks = evidence.wholeReads + evidence.tornReads.length;
    const torn = (text: string) => findings.push({ harm: "halfWritten", text });
    for (const text of evidence.tornReads) torn(`read in mid-run: ${text}`);
    for (const group of new Set(evidence.sessions.map(({ plan }) => plan.group))) {
      checks += 1;
      const path = sharedFile(group);
      if (!isWholeGroupFile(evidence.files.get(path) ?? "", group, membersOf(evidence, group))) torn(path);
    }
    for (const { plan } of evidence.sessions) {
      checks += 2;
      const own = evidence.files.get(ownFile(plan.index));
      const [, token, lines] = own === undefined ? [] : (/^version (\S+) (\d+)\n/.exec(own) ?? []);
      if (own !== undefined && own !== versionText(token ?? "", Number(lines ?? 0))) torn(ownFile(plan.index));
      const outside = evidence.files.get(outsideFile(plan.index)) ?? "";
      const rest = outside.replaceAll(/^(mark s\d+p\d+t\d+c\d+|outside .*)\n/gm, "");
      if (rest !== `${slotOf(plan.index)}\nend\n`) torn(outsideFile(plan.index));
    }
    for (const path of evidence.strayFiles) findings.push({ text: `${path} was left behind` });
    return { checks, findings };
  },
};

/** I5: each edit that was told as done is in the file once, each other one is not; the last whole writing stands. */
export const noLostUpdate: Invariant = {
  name: "I5 updates",
  check: (evidence) => {
    const findings: Finding[] = [];
    let checks = 0;
    for (const session of evidence.sessions) {
      const text = [sharedFile(session.plan.group), outsideFile(session.plan.index)]
        .map((path) => evidence.files.get(path) ?? "")
        .join("");
      const counts = new Map<string, number>();
      for (const token of marks(text)) counts.set(token, (counts.get(token) ?? 0) + 1);
      for (const { token, tool, outcome, results } of session.calls) {
        if (tool !== "edit") continue;
        checks += 1;
        const count = counts.get(token) ?? 0;
        const right = outcome === "done" ? count === 1 : outcome === "notRun" ? count === 0 : count <= 1;
        if (right) continue;
        const harm = count > 1 ? "doubled" : count === 0 ? "lost" : undefined;
        findings.push({
          ...(harm ? { harm } : {}),
          text: `${session.id} ${token}: ${count} times, told as ${outcome}: ${results.at(-1)?.slice(0, 160)}`,
        });
      }
      const last = lastWriting(session);
      if (last === undefined) continue;
      checks += 1;
      const stands = /^version (\S+)/.exec(evidence.files.get(ownFile(session.plan.index)) ?? "")?.[1];
      if (!last.includes(stands ?? ""))
        findings.push({ harm: "lost", text: `${session.id}: ${stands} stands, not ${last[0]}` });
    }
    return { checks, findings };
  },
};

/** Versions that may stand: the last one that was told as done, and later ones of which nobody knows. */
function lastWriting({ calls }: SessionEvidence): string[] | undefined {
  const writings = calls.filter(({ tool }) => tool === "write");
  const at = writings.findLastIndex(({ outcome }) => outcome === "done");
  if (at < 0) return undefined;
  return [writings[at]!, ...writings.slice(at + 1).filter(({ outcome }) => outcome !== "notRun")].map(
    ({ token }) => token,
  );
}

/** F13: what somebody else wrote beside the agent is kept. */
export const othersKept: Invariant = {
  name: "I5 others",
  check: ({ outsideLines, files }) => ({
    checks: outsideLines.length,
    findings: outsideLines
      .filter(({ file, line }) => !(files.get(file) ?? "").split("\n").includes(line))
      .map(({ file, line }) => ({ harm: "lost", text: `${file} lost "${line}"` })),
  }),
};
