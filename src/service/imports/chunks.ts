/** The lines of a part, cut into chunks that a value of D1 can hold. */
import { utf8 } from "../../base/crypto/encoding";
import { AppError, invalid } from "../../base/errors";

const KIB = 1024;
const MAX_LINES = 20_000;
const MAX_LINE_BYTES = 64 * KIB;
const CHUNK_BYTES = 1024 * KIB;
export const MAX_PART_KIB = 5 * KIB;

/** To which row of `import_chunks` a ciphertext belongs. */
export const chunkOwner = (importId: string, part: number, n: number): string => `import:${importId}:${part}:${n}`;

interface ReadPart {
  /** Lines, joined by line feeds. */
  chunks: string[];
  /** How many lines are not empty. */
  rows: number;
}

/** Cuts a part at its lines. Throws INVALID_JSON for bytes that are no UTF-8, VALIDATION_FAILED for too many lines. */
export function readPart(bytes: Uint8Array): ReadPart {
  const lines = textOf(bytes).split("\n");
  // What ends with a line feed has no line after it.
  if (lines.at(-1) === "") lines.pop();
  if (lines.length > MAX_LINES) throw refused(`A part can have at most ${MAX_LINES} lines`);
  const chunks: string[] = [];
  let chunk: string[] = [];
  let size = 0;
  for (const [index, line] of lines.entries()) {
    const lineBytes = utf8(line).length + 1;
    if (lineBytes > MAX_LINE_BYTES + 1) throw refused(`Line ${index + 1} is longer than 64 KiB`);
    if (size + lineBytes > CHUNK_BYTES) {
      chunks.push(chunk.join("\n"));
      [chunk, size] = [[], 0];
    }
    chunk.push(line);
    size += lineBytes;
  }
  if (chunk.length > 0) chunks.push(chunk.join("\n"));
  return { chunks, rows: lines.filter((line) => line.trim() !== "").length };
}

const refused = (message: string) => invalid({ issues: [{ path: [], message }] }, "body");

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    throw new AppError("INVALID_JSON", { message: "The body is not UTF-8." });
  }
}
