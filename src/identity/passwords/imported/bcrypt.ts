/** bcrypt, as most frameworks store it. It reads the first 72 bytes of a password. */
import bcrypt from "bcryptjs";
import { type HashReader, within } from "./hash";

const FORM = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;
const MIN_COST = 4;
/** Twice the work for each step: 12 takes 330 ms. */
const MAX_COST = 14;

/** `$2a$`, `$2b$` and `$2y$`, which name the same algorithm. */
export const readBcrypt: HashReader = (hash) => {
  const cost = hash.match(FORM)?.[1];
  if (cost === undefined) return null;
  within("the cost of bcrypt", Number(cost), MIN_COST, MAX_COST);
  return { matches: async (password) => bcrypt.compareSync(password, hash) };
};
