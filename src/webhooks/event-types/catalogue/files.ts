/**
 * The files of a catalogue. Strangers read them, so one is made once for a state of the types, by whoever asks first
 * after a change, and then read from the database.
 */
import { sha256Hex, utf8 } from "../../../base/crypto/encoding";
import type { Deps } from "../../../base/deps";
import { AppError } from "../../../base/errors";
import { OutOfSteps } from "../../work/meter";
import { partsOf } from "../export/export";
import { keepFile, readFile, type StoredFile, takeFile } from "./files-store";
import type { CatalogueFormat } from "./schemas";
import type { PublicCatalogue } from "./store";

export interface CatalogueFile {
  body: string;
  /** With its quotes. */
  etag: string;
}

export const MAX_FILE_BYTES = 1024 * 1024;
/** Raised when the same types make another file. */
const WRITERS = 2;
/** How long a file stays as it is, and how long making one may take. */
const MADE_EVERY_MS = 10_000;
const ETAG_CHARACTERS = 32;

/**
 * Returns the file, which is at most ten seconds behind the types. Throws PAYLOAD_TOO_LARGE for one of more than 1 MiB,
 * and SERVICE_UNAVAILABLE while somebody else makes the first one.
 */
export async function catalogueFile(
  deps: Deps,
  catalogue: PublicCatalogue,
  format: CatalogueFormat,
): Promise<CatalogueFile> {
  const { stored, revisions } = await readFile(deps, catalogue, format);
  const look = JSON.stringify([WRITERS, catalogue.hasPlatformTypes, catalogue.title]);
  const madeOf = `${revisions.join(".")} ${look}`;
  if (stored.madeOf === madeOf) return served(stored);
  // What a catalogue shows no more since it was switched off is gone at once.
  const mayWait = stored.madeOf.endsWith(` ${look}`);
  const nowMs = deps.now();
  const isOurs = await takeFile(deps, catalogue, format, { nowMs, takenBefore: nowMs - (mayWait ? MADE_EVERY_MS : 0) });
  if (isOurs) return served(await make(deps, catalogue, format, madeOf));
  if (mayWait) return served(stored);
  throw new AppError("SERVICE_UNAVAILABLE", { retryAfterSeconds: 1 });
}

async function make(
  deps: Deps,
  catalogue: PublicCatalogue,
  format: CatalogueFormat,
  madeOf: string,
): Promise<StoredFile> {
  const body = await written(deps, catalogue, format);
  const etag = body === null ? null : `"${(await sha256Hex(body)).slice(0, ETAG_CHARACTERS)}"`;
  const file = { madeOf, etag, body };
  await keepFile(deps, catalogue, format, file);
  return file;
}

/** The whole document; null if it is too large, or takes more steps than an export may. */
async function written(deps: Deps, catalogue: PublicCatalogue, format: CatalogueFormat): Promise<string | null> {
  let [text, bytes] = ["", 0];
  try {
    for await (const part of partsOf(deps, catalogue, format, catalogue)) {
      text += part;
      bytes += utf8(part).length;
      if (bytes > MAX_FILE_BYTES) return null;
    }
    return text;
  } catch (error) {
    if (error instanceof OutOfSteps) return null;
    throw error;
  }
}

function served({ body, etag }: StoredFile): CatalogueFile {
  if (body !== null && etag !== null) return { body, etag };
  const message = "This file would be larger than 1 MiB, or take too many steps. The pages show each type.";
  throw new AppError("PAYLOAD_TOO_LARGE", { message });
}
