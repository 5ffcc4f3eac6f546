/** `postern import people`: converts the export of another service, and imports it in parts. */
import type { Client, Import, ImportedLine, ImportInput } from "../client";
import type { Command } from "./command";
import { EXIT, usage } from "./failure";
import { readJson, readText } from "./input";
import { print, tell, writeText } from "./output";
import { linesWith, SOURCES } from "./people/lines";
import { partsOf } from "./people/parts";
import { sendPeople } from "./people/send";

/** How many refused rows are told, if they are not written to a file. */
const MAX_TOLD = 20;

export const importPeople: Command = {
  args: "FILE",
  summary: "Import people with their passwords",
  details:
    "FILE is an export of the service that --from names; csv means any CSV whose columns --columns\n" +
    "names, and postern people as POST /platform/imports takes them, one in a line. Needs a platform key\n" +
    "with the scope users.write. A command that breaks off goes on when it is repeated with the same\n" +
    "options: FILE.postern-import has the id of the import until it ends.",
  options: {
    from: { value: SOURCES.join("|"), help: "the service that wrote FILE" },
    columns: { value: "NAMES", help: "with csv: such as email=Mail,emailVerified=verified,password=hash,name=Name" },
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
    const linesOf = linesWith(options);
    const settings = settingsOf(options);
    // All of it, before anything is made on the service: the end of the file can be the part that cannot be parsed.
    const lines = linesOf(readText(file));
    if (options.print) {
      process.stdout.write(lines.map((line) => `${line}\n`).join(""));
      return EXIT.ok;
    }
    const hasFirebase = lines.some((line) => line.includes('"firebase-scrypt"'));
    if (hasFirebase && !settings.hashSettings) throw usage(NEEDS_SETTINGS);
    const service = client();
    const done = await sendPeople(service, { file, settings, parts: [...partsOf(lines)] });
    if (done.withoutPassword > 0) tell(`Left out: passwords whose hash is out of bounds (${done.withoutPassword})`);
    const refused = await report(service, done, options.report);
    print(json, done, summaryOf(done));
    return refused > 0 || done.state === "stopped" ? EXIT.failed : EXIT.ok;
  },
};

const NEEDS_SETTINGS =
  "The file has passwords of Firebase, which need the hash parameters of the project: give --hash-settings FILE. " +
  "The Firebase console shows them at Authentication, Users, Password hash parameters.";

type Options = Readonly<Record<string, string | undefined>>;

function settingsOf(options: Options): ImportInput {
  const dryRun = options["dry-run"] !== undefined;
  const onExisting = options["on-existing"] ?? "skip";
  if (onExisting !== "skip" && onExisting !== "update") throw usage("--on-existing is skip or update.");
  const file = options["hash-settings"];
  if (file === undefined) return { dryRun, onExisting };
  const given = readJson(`@${file}`, file) as { firebase?: unknown };
  return { dryRun, onExisting, hashSettings: given.firebase ? given : { firebase: given } } as ImportInput;
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
    writeText(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    return refused;
  }
  for (const { line, email, reason } of lines) tell(`line ${line}${email ? ` (${email})` : ""}: ${reason}`);
  if (refused > lines.length) tell(`and ${refused - lines.length} more; --report FILE has all of them`);
  return refused;
}

const summaryOf = ({ state, created, updated, skipped, refused }: Import): string =>
  `${state === "stopped" ? "stopped; " : ""}created: ${created}, updated: ${updated}, skipped: ${skipped}, ` +
  `refused: ${refused}`;
