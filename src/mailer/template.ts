/** The HTML around a mail: a column of 480 px that fits a phone, in light and dark. */
import type { Brand } from "../base/brand";
import type { Locale } from "../base/schemas/locales";

/** Clients that drop style sheets show a plain page. No client runs a script or loads a font. */
const styleOf = ({ color }: Brand) => `
body{margin:0;padding:24px 12px;background:#f4f4f2;color:#1b1d1a;
  font:16px/1.5 -apple-system,"Segoe UI",Roboto,Arial,sans-serif}
.column{max-width:480px;margin:0 auto}
.brand{font-weight:600;font-size:18px;margin:0 0 16px}
.brand img{max-height:32px;vertical-align:middle}
.sheet{background:#ffffff;border:1px solid #d9d9d3;border-radius:8px;padding:24px}
p{margin:0 0 16px;overflow-wrap:anywhere}
.button{display:inline-block;background:${color};color:#ffffff;
  font-weight:600;text-decoration:none;padding:10px 20px;border-radius:6px}
.aside{color:${color}}
.address{font-size:12px;color:#5a5d56;margin-top:-8px}
.foot{font-size:13px;color:#5a5d56;margin:16px 0 0}
@media (prefers-color-scheme:dark){
body{background:#131416;color:#e7e8e6}
.sheet{background:#1b1d20;border-color:#34383d}
.aside{color:#8ab6f5}
.address,.foot{color:#a5a9af}
}`;

interface Page {
  subject: string;
  /** HTML. */
  parts: string;
  brand: Brand;
  locale: Locale;
}

export function documentOf({ subject, parts, brand, locale }: Page): string {
  const name = escapeHtml(brand.name);
  const logo = brand.logoUrl === null ? name : `<img src="${escapeHtml(brand.logoUrl)}" alt="${name}" height="32">`;
  return [
    `<!doctype html><html lang="${locale}"><head><meta charset="utf-8">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">',
    `<title>${escapeHtml(subject)}</title><style>${styleOf(brand)}</style></head><body>`,
    `<div class="column"><p class="brand">${logo}</p><div class="sheet">${parts}</div>`,
    `<p class="foot">${name}</p></div></body></html>`,
  ].join("");
}

export const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
