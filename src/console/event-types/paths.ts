/** The addresses of the pages about event types. */

export const HERE = "/event-types";

export const pathOf = (name: string): string => `${HERE}/named/${encodeURIComponent(name)}`;
