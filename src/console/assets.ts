/** The console's files, at addresses that change with what they hold, so that browsers may keep them. */
import { SCRIPT } from "./script";
import { STYLE } from "./style";

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path fill="#2563ad" d="M2 15V7a6 6 0 0 1 12 0v8h-3V7.5a3 3 0 0 0-6 0V15z"/></svg>`;

/** FNV-1a, 32 bits: tells one version of a file from another. */
function version(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return (hash >>> 0).toString(36);
}

const pathOf = (name: string, text: string) => `/console/assets/${version(text)}/${name}`;

export const STYLE_PATH = pathOf("console.css", STYLE);
export const SCRIPT_PATH = pathOf("console.js", SCRIPT);
export const ICON_PATH = pathOf("icon.svg", ICON);

/** File name to text and media type. */
export const ASSETS: Readonly<Record<string, { text: string; type: string }>> = {
  "console.css": { text: STYLE, type: "text/css" },
  "console.js": { text: SCRIPT, type: "text/javascript" },
  "icon.svg": { text: ICON, type: "image/svg+xml" },
};
