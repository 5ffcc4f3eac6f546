/**
 * The files that the console's pages load. Each address contains a hash of the content, so browsers can cache it
 * forever.
 */

import { DEFAULT_COLOR } from "../base/brand";
import { CONSOLE_PATH } from "../base/paths";
import base from "./browser/base.css";
import blocks from "./browser/blocks.css";
import charts from "./browser/charts.css";
import consoleScript from "./browser/console.browser.js";
import forms from "./browser/forms.css";
import frame from "./browser/frame.css";
import goScript from "./browser/go.browser.js";
import keysScript from "./browser/keys.browser.js";
import passkeyScript from "./browser/passkeys.browser.js";
import rowsScript from "./browser/rows.browser.js";
import tables from "./browser/tables.css";
import tagsScript from "./browser/tags.browser.js";

/** One style sheet; a later part overrides an earlier one. */
const STYLE = [base, frame, blocks, tables, forms, charts].join("\n");

/** One script; each part is a block, so that their names do not clash. */
const SCRIPT = [consoleScript, keysScript, goScript, rowsScript, passkeyScript, tagsScript]
  .map((part) => `{\n${part}}`)
  .join("\n");

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">
  <path fill="#2563ad" d="M2 15V7a6 6 0 0 1 12 0v8h-3V7.5a3 3 0 0 0-6 0V15z"/></svg>`;

/**
 * FNV-1a, 32 bits: tells versions of a file apart. WebCrypto's digest is asynchronous, and addresses are needed at
 * start.
 */
function contentHash(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return (hash >>> 0).toString(36);
}

const pathOf = (name: string, text: string) => `${CONSOLE_PATH}/assets/${contentHash(text)}/${name}`;

/** The address of the style sheet in the colour of the brand. */
export const stylePath = (color: string) =>
  color === DEFAULT_COLOR ? pathOf("console.css", STYLE) : pathOf(`console-${color.slice(1)}.css`, STYLE);

const BRANDED = /^console-([0-9a-f]{6})\.css$/;

/** The file of this name; undefined if there is none. */
export function assetOf(name: string): { text: string; type: string } | undefined {
  const color = BRANDED.exec(name)?.[1];
  if (color !== undefined) return { text: `${STYLE}\n:root { --brand: #${color}; }\n`, type: "text/css" };
  return Object.hasOwn(ASSETS, name) ? ASSETS[name] : undefined;
}
export const SCRIPT_PATH = pathOf("console.js", SCRIPT);
export const ICON_PATH = pathOf("icon.svg", ICON);

/** The text and media type of each file. */
const ASSETS: Readonly<Record<string, { text: string; type: string }>> = {
  "console.css": { text: STYLE, type: "text/css" },
  "console.js": { text: SCRIPT, type: "text/javascript" },
  "icon.svg": { text: ICON, type: "image/svg+xml" },
};
