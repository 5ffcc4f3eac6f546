/** Password hashes in exports. */
import type { ImportedPerson, LeaveOut } from "./converter";
import { textOf } from "./fields";
import { inOwnForm } from "./foreign-hash";

/** The forms that an import takes without being told their kind; see "Moving in" in the documentation. */
const TAKEN = [
  /^\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$/,
  /^\$argon2(?:id|i|d)\$v=\d+\$m=\d+,t=\d+,p=\d+\$[^$]+\$[^$]+$/,
  /^\$scrypt\$ln=\d+,r=\d+,p=\d+\$[^$]+\$[^$]+$/,
  /^\$pbkdf2(?:-sha(?:1|256|512))?\$i=\d+(?:,l=\d+)?\$[^$]+\$[^$]+$/,
  /^pbkdf2_sha(?:1|256)\$\d+\$[^$]+\$[^$]+$/,
  /^argon2\$argon2(?:id|i|d)\$v=\d+\$m=\d+,t=\d+,p=\d+\$[^$]+\$[^$]+$/,
  /^bcrypt(?:_sha256)?\$\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$/,
  /^[0-9a-f]{32}:[0-9a-f]{128}$/i,
];

/** What stands in place of a password that nobody has. Django writes `!` and something random. */
const NO_PASSWORD = /^(?:!.*|\*|x)$/;

export const isTaken = (hash: string): boolean => TAKEN.some((form) => form.test(hash));

/** The password of a person; none, and counted, for a hash that an import would refuse with the person. */
export function passwordOf(value: unknown, leaveOut: LeaveOut): ImportedPerson["password"] {
  const given = textOf(value);
  if (given === undefined || NO_PASSWORD.test(given)) return undefined;
  const hash = inOwnForm(given);
  if (isTaken(hash)) return { hash };
  leaveOut(/redacted|^[*x•]+$/i.test(hash) ? "passwords that were not given" : "passwords of a kind that is not taken");
  return undefined;
}
