/** Whether a secret key could be guessed. A public key is derived from it, so anybody can test guesses offline. */

const MIN_DISTINCT_CHARACTERS = 10;

/** The pairs of letters that make up about half of an English text, and a tenth of random letters. */
const ENGLISH_PAIRS = new Set(
  (
    "th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le " +
    "ve co me de hi ri ro ic ne ea ra ce li ch ll be ma si om ur la el ho ec ss no wi ot et ke ey"
  ).split(" "),
);
const MIN_ENGLISH_PAIRS = 9;
const MIN_ENGLISH_SHARE = 0.38;

/**
 * True for a key that has few distinct characters, a repeated pattern, or words. It judges by appearance, so it also
 * refuses about one random key in 10,000, and accepts a rare passphrase.
 */
export const isGuessableKey = (key: string): boolean =>
  new Set(key).size < MIN_DISTINCT_CHARACTERS || isPattern(key) || readsLikeWords(key);

/**
 * True for keys such as `0123456789` or `abcabcabc`: most pairs of neighbours are repeated, or most characters count up
 * by one.
 */
function isPattern(key: string): boolean {
  const pairs = pairsOf(key);
  const steps = pairs.filter(([a = "", b = ""]) => b.charCodeAt(0) - a.charCodeAt(0) === 1);
  return new Set(pairs.map((pair) => pair.join(""))).size < pairs.length / 2 || steps.length > pairs.length / 2;
}

function readsLikeWords(key: string): boolean {
  if (/^[0-9a-f]+$/i.test(key)) return false;
  const letters = pairsOf(key.toLowerCase())
    .map((pair) => pair.join(""))
    .filter((pair) => /^[a-z]{2}$/.test(pair));
  const english = letters.filter((pair) => ENGLISH_PAIRS.has(pair)).length;
  return english >= MIN_ENGLISH_PAIRS && english >= letters.length * MIN_ENGLISH_SHARE;
}

const pairsOf = (text: string) => [...text].slice(1).map((next, index) => [text[index] ?? "", next]);
