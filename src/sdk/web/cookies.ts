/** The app's cookies. Over https their names have the prefix `__Host-`, so that no other host can set them. */

/** Browsers take 4,096 bytes for a cookie with its name and attributes. */
const PART_CHARACTERS = 3_500;
/** Node takes headers of 16 KiB. */
const MAX_PARTS = 4;

export interface CookieJar {
  /** Undefined if there is none. */
  get(name: string): string | undefined;
  /** The names that begin so, of what the browser has. */
  names(start: string): string[];
  /** The lines that set a value, in parts if it is long. */
  set(name: string, value: string, maxAgeSeconds: number): string[];
  /** The lines that remove what the browser has. */
  remove(name: string): string[];
}

export function cookiesOf(request: Request, origin: string): CookieJar {
  const isSecure = origin.startsWith("https:");
  const prefix = isSecure ? "__Host-" : "";
  const sent = parse(request.headers.get("cookie") ?? "");
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
  const line = (name: string, value: string, maxAge: number) => `${name}=${value}; ${attributes}; Max-Age=${maxAge}`;
  const partsOf = (name: string) => Array.from({ length: MAX_PARTS }, (_, index) => `${prefix}${name}.${index}`);
  return {
    get(name) {
      const parts: string[] = [];
      for (const part of partsOf(name)) {
        const value = sent.get(part);
        if (value === undefined) break;
        parts.push(value);
      }
      return parts.length === 0 ? undefined : parts.join("");
    },
    names(start) {
      const found = [...sent.keys()].filter((name) => name.startsWith(prefix + start));
      return [...new Set(found.map((name) => name.slice(prefix.length).replace(/\.\d+$/, "")))];
    },
    set(name, value, maxAgeSeconds) {
      if (value.length > MAX_PARTS * PART_CHARACTERS) throw new RangeError("The session is too long for cookies.");
      return partsOf(name).flatMap((part, index) => {
        const piece = value.slice(index * PART_CHARACTERS, (index + 1) * PART_CHARACTERS);
        if (piece !== "") return line(part, piece, Math.floor(maxAgeSeconds));
        return sent.has(part) ? line(part, "", 0) : [];
      });
    },
    remove: (name) => partsOf(name).flatMap((part) => (sent.has(part) ? line(part, "", 0) : [])),
  };
}

function parse(header: string): Map<string, string> {
  const pairs = header.split(";").map((pair) => pair.trim().split(/=(.*)/s));
  // Of two cookies with the same name, the first is the one with the longest path.
  return new Map(pairs.reverse().flatMap(([name = "", value = ""]) => (name === "" ? [] : [[name, value]])));
}
