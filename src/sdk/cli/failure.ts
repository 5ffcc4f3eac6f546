/** Why a command ends without doing its work. The exit codes are part of the interface. */
import { PosternError } from "../client";

export const EXIT = { ok: 0, failed: 1, usage: 2, notSignedIn: 3, unreachable: 4 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Ends the command with a sentence for people on stderr. */
export class Failure extends Error {
  constructor(
    readonly exitCode: ExitCode,
    message: string,
  ) {
    super(message);
  }
}

export const usage = (message: string) => new Failure(EXIT.usage, message);

/** What to say about an exception, and how to exit. Rethrows what is a defect of the program. */
export function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (!(error instanceof PosternError)) throw error;
  const details = error.details.map(({ path, message }) => `\n  ${path}: ${message}`).join("");
  const message = `${error.message}${details}${error.requestId ? `\n  request ${error.requestId}` : ""}`;
  if (error.status === 0 || error.status === 503 || error.code === "BAD_RESPONSE") {
    return new Failure(EXIT.unreachable, message);
  }
  if (error.status === 401) return new Failure(EXIT.notSignedIn, `${message}\nSign in with: postern login --url URL`);
  return new Failure(EXIT.failed, message);
}
