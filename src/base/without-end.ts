/**
 * The text without these characters at its end. /x+$/ would take time that grows with the square of the text: where
 * another character follows a run, it is tried from each of its places.
 */
export function withoutEnd(text: string, character: string): string {
  let end = text.length;
  while (text.charAt(end - 1) === character) end -= 1;
  return text.slice(0, end);
}
