/** What an export may cost and how large it may be. */
import { utf8 } from "../../../base/crypto/encoding";
import { AppError } from "../../../base/errors";
import { OutOfSteps } from "../../work/meter";

const KIB = 1024;
const MAX_BYTES = 32 * 1024 * KIB;
/** Of a file that is larger, nothing is kept in memory while its size is counted. */
const MAX_KEPT_BYTES = 1024 * KIB;

/**
 * Writes a file to see how large it becomes. Returns it, or null if it is too large to be kept in memory. Throws
 * PAYLOAD_TOO_LARGE if it is larger than 32 MiB, or takes too many steps.
 */
export async function measured(parts: AsyncIterable<string>): Promise<string[] | null> {
  let kept: string[] | null = [];
  let bytes = 0;
  try {
    for await (const part of parts) {
      bytes += utf8(part).length;
      if (bytes > MAX_BYTES) throw tooLarge(`has more than ${MAX_BYTES / KIB} KiB`);
      if (bytes > MAX_KEPT_BYTES) kept = null;
      kept?.push(part);
    }
  } catch (error) {
    throw error instanceof OutOfSteps ? tooLarge("takes too many steps to write") : error;
  }
  return kept;
}

const tooLarge = (why: string) =>
  new AppError("PAYLOAD_TOO_LARGE", {
    message: `The file of the event types ${why}. Archive those that are not used.`,
  });
