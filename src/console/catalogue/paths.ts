/** The addresses of catalogues. */

export const CATALOGUE_PATH = "/catalog";

/** The address of a catalogue, or of what is below it. */
export const pathIn = (slug: string, below?: string): string =>
  below === undefined ? `${CATALOGUE_PATH}/${slug}` : `${CATALOGUE_PATH}/${slug}/${encodeURIComponent(below)}`;
