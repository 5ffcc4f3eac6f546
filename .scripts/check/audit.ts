/** What the registry knows about the packages in the Worker: whether it signed them, and advisories about them. */
import * as z from "zod";
import { type Finding, finding, run } from "./gate.ts";

const TIMEOUT_MS = 60_000;
/** One try, so that a registry out of reach costs seconds. */
const ONCE = ["--json", "--fetch-retries=0", "--fetch-timeout=20000"];

const named = z.object({ name: z.string(), version: z.string() });
const signed = z.object({ invalid: z.array(named), missing: z.array(named) });
const audited = z.object({ vulnerabilities: z.record(z.string(), z.object({ severity: z.string() })) });

/** Fails for a wrong signature of any installed package, because it runs here, and for a missing one in the Worker. */
export async function signatures(packages: ReadonlySet<string>): Promise<Finding> {
  const name = `signatures of the ${packages.size} packages in the Worker`;
  const { output, report } = await ask(signed, "audit", "signatures");
  if (!report) return { name, result: "NOT CHECKED", output: reason(output) };
  const wrong = [...report.invalid, ...report.missing.filter((unsigned) => packages.has(unsigned.name))];
  return finding(name, wrong.length === 0, wrong.map(({ name: of, version }) => `${of} ${version}`).join("\n"));
}

/** Fails for an advisory about a package in the Worker. Those about tools are for `npm audit`. */
export async function advisories(packages: ReadonlySet<string>): Promise<Finding> {
  const name = `advisories about the ${packages.size} packages in the Worker`;
  const { output, report } = await ask(audited, "audit");
  if (!report) return { name, result: "NOT CHECKED", output: reason(output) };
  const found = Object.entries(report.vulnerabilities).filter(([of]) => packages.has(of));
  return finding(name, found.length === 0, found.map(([of, { severity }]) => `${of}: ${severity}`).join("\n"));
}

async function ask<T>(answer: z.ZodType<T>, ...command: string[]): Promise<{ output: string; report?: T }> {
  const { output } = await run(["npm", ...command, ...ONCE], TIMEOUT_MS);
  // Warnings of npm are around the JSON.
  const json = output.slice(output.indexOf("{"), output.lastIndexOf("}") + 1);
  try {
    return { output, report: answer.parse(JSON.parse(json)) };
  } catch {
    return { output };
  }
}

/** The line in which npm says why there was no answer. */
const reason = (output: string): string =>
  output.match(/"(?:message|summary)": "(.+)"/)?.[1] ??
  output.match(/npm error network (.+)/)?.[1] ??
  `no answer within ${TIMEOUT_MS / 1000} s`;
