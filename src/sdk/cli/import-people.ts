/** `postern import people`: converts the export of another service, and imports it in parts. */
import { writeFileSync } from "node:fs";
import type { Client, Import, ImportedLine, NewImport } from "../client";
import type { Command } from "./command";
import { EXIT, usage } from "./failure";
import { readJson, readText } from "./input";
import { bar, print, progress, tell } from "./output";
import { auth0 } from "./people/auth0";
import { betterAuth } from "./people/better-auth";
import { clerk } from "./people/clerk";
import { cognito } from "./people/cognito";
import type { Converter, ImportedPerson } from "./people/converter";
import { firebase } from "./people/firebase";
import { readNdjson } from "./people/ndjson";
import { partsOf } from "./people/parts";
import { supabase } from "./people/supabase";
import { forgetImport, rememberImport, unfinishedImport } from "./people/unfinished";

const CONVERTERS: Readonly<Record<string, Converter>> = {
  auth0,
  clerk,
  firebase,
  supabase,
  "better-auth": betterAuth,
  cognito,
  postern: (text) => readNdjson(text) as Iterable<unknown> as Iterable<ImportedPerson>,
};
const SOURCES = Object.keys(CONVERTERS).join("|");
const POLL_MS = 1_000;
/** How many refused rows are told, if they are not written to a file. */
const MAX_TOLD = 20;

export const importPeople: Command = {
  args: "FILE",
  summary: "Import people with their passwords",
  details:
    "FILE is an export of the service that --from names; postern means people as POST /platform/imports\n" +
    "takes them, one in a line. Needs a platform key with the scope users.write. A command that breaks\n" +
    "off goes on when it is repeated: FILE.postern-import has the id of the import until it ends.",
  options: {
    from: { value: SOURCES, help: "the service that wrote FILE" },
    "dry-run": { help: "say what would happen, and change nothing" },
    print: { help: "print the people as they would be sent, and send nothing" },
    "on-existing": { value: "skip|update", help: "what to do with people who have an account; skip unless given" },
    tenant: { value: "TENANT", help: "make everybody a member of this tenant: an id, or ext:ID of your own" },
    role: { value: "ROLE", help: "the role of these members" },
    "hash-settings": { value: "FILE", help: "Firebase's password hash parameters in JSON, for its passwords" },
    report: { value: "FILE", help: "write what became of each line to FILE" },
  },
  run: async ({ args, options, json, client }) => {
    const [file] = args;
    if (file === undefined || args.length > 1) throw usage("Give one FILE.");
    const people = convert(readText(file), options);
    if (options.print) {
      for (const person of people) process.stdout.write(`${JSON.stringify(person)}\n`);
      return EXIT.ok;
    }
    const isDry = options["dry-run"] !== undefined;
    const service = client();
    const begun = isDry ? undefined : await unfinishedImport(file, service);
    const { id } = begun ?? (await service.platform.imports.create(settingsOf(options, isDry)));
    if (!isDry) rememberImport(file, id);
    const done = await send(service, id, people);
    if (!isDry) forgetImport(file);
    const refused = await report(service, done, options.report);
    print(json, done, summaryOf(done));
    return refused > 0 || done.state === "stopped" ? EXIT.failed : EXIT.ok;
  },
};

type Options = Readonly<Record<string, string | undefined>>;

/** The people of the export, each in the tenant that the options name. Tells what cannot come along. */
function* convert(text: string, { from = "", tenant, role }: Options): Generator<ImportedPerson> {
  const converter = Object.hasOwn(CONVERTERS, from) ? CONVERTERS[from] : undefined;
  if (!converter) throw usage(`--from is ${SOURCES.replaceAll("|", ", ")}.`);
  if ((tenant === undefined) !== (role === undefined)) throw usage("Give --tenant and --role together.");
  const joined = tenant === undefined || role === undefined ? [] : [{ tenant, role }];
  const left = new Map<string, number>();
  for (const person of converter(text, (what) => left.set(what, (left.get(what) ?? 0) + 1))) {
    yield joined.length === 0 ? person : { ...person, memberships: [...(person.memberships ?? []), ...joined] };
  }
  for (const [what, count] of left) tell(`Left out: ${what} (${count})`);
}

function settingsOf(options: Options, dryRun: boolean): NewImport {
  const onExisting = options["on-existing"] ?? "skip";
  if (onExisting !== "skip" && onExisting !== "update") throw usage("--on-existing is skip or update.");
  const file = options["hash-settings"];
  if (file === undefined) return { dryRun, onExisting };
  const given = readJson(`@${file}`, file) as { firebase?: unknown };
  return { dryRun, onExisting, hashSettings: given.firebase ? given : { firebase: given } } as NewImport;
}

/** Sends the people and waits until the import has ended. */
async function send({ platform: { imports } }: Client, id: string, people: Iterable<ImportedPerson>): Promise<Import> {
  let parts = 0;
  for (const part of partsOf(people)) {
    parts += 1;
    await imports.putPart(id, parts, part);
    progress(`Sent ${parts} ${parts === 1 ? "part" : "parts"}`);
  }
  if (parts === 0) throw usage("The file has nobody in it.");
  let current = await imports.start(id, { parts });
  while (current.state === "running") {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    current = await imports.get(id);
    progress(`${bar(current.done, current.rows)} ${current.done} of ${current.rows} people`);
  }
  progress("");
  return current;
}

/** Writes the report to a file, or tells who was refused. Returns how many were. */
async function report({ platform: { imports } }: Client, { id, refused }: Import, file: string | undefined) {
  const lines: ImportedLine[] = [];
  const filter = file === undefined ? ({ outcome: "refused", limit: MAX_TOLD } as const) : { limit: 2_000 };
  for await (const line of imports.report(id, filter)) {
    if (file !== undefined || lines.length < MAX_TOLD) lines.push(line);
    else break;
  }
  if (file !== undefined) {
    writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""), { mode: 0o600 });
    return refused;
  }
  for (const { line, email, reason } of lines) tell(`line ${line}${email ? ` (${email})` : ""}: ${reason}`);
  if (refused > lines.length) tell(`and ${refused - lines.length} more; --report FILE has all of them`);
  return refused;
}

const summaryOf = ({ state, created, updated, skipped, refused }: Import): string =>
  `${state === "stopped" ? "stopped; " : ""}created: ${created}, updated: ${updated}, skipped: ${skipped}, ` +
  `refused: ${refused}`;
