/** Sending people, and waiting until they are imported. */
import { type Client, type Import, type ImportInput, PosternError } from "../../client";
import { bar, progress } from "../output";
import { fingerprintOf, forgetImport, rememberImport, unfinishedImport } from "./unfinished";

const POLL_MS = 1_000;
/** The exit status of what Ctrl-C ends. */
const INTERRUPTED = 130;
/** What the service does not take now it will not take later, either. */
const REFUSED_FOR_GOOD = [400, 413, 415];

interface Sending {
  /** Where the people come from: a second run of the command goes on beside it. */
  file: string;
  settings: ImportInput;
  parts: readonly string[];
}

/** Imports the people, and returns the import when it has ended. Leaves none open that cannot be sent. */
export async function sendPeople(service: Client, { file, settings, parts }: Sending): Promise<Import> {
  const { imports } = service.platform;
  const isDry = settings.dryRun === true;
  const fingerprint = await fingerprintOf(settings, parts);
  const begun = isDry ? undefined : await unfinishedImport(file, service, fingerprint);
  const { id } = begun ?? (await imports.create(settings));
  const end = () => imports.stop(id).catch(() => undefined);
  const interrupted = () => void end().then(() => process.exit(INTERRUPTED));
  // Nobody goes on with a dry run.
  if (isDry) process.once("SIGINT", interrupted);
  try {
    if (!isDry) rememberImport(file, id, fingerprint);
    const ended = await send(service, id, parts);
    if (!isDry) forgetImport(file);
    return ended;
  } catch (error) {
    if (isDry || isForGood(error)) await end();
    if (!isDry && isForGood(error)) forgetImport(file);
    throw error;
  } finally {
    process.off("SIGINT", interrupted);
  }
}

const isForGood = (error: unknown): boolean =>
  !(error instanceof PosternError) || REFUSED_FOR_GOOD.includes(error.status);

async function send({ platform: { imports } }: Client, id: string, parts: readonly string[]): Promise<Import> {
  for (const [index, part] of parts.entries()) {
    await imports.putPart(id, index + 1, part);
    progress(`Sent ${index + 1} of ${parts.length} parts`);
  }
  let current = await imports.start(id, { parts: parts.length });
  while (current.state === "running") {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    current = await imports.get(id);
    progress(`${bar(current.done, current.rows)} ${current.done} of ${current.rows} people`);
  }
  progress("");
  return current;
}
