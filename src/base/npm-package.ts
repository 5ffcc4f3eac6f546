/** The npm package, which each service serves for itself; see .scripts/docs/package.ts. */
import { version } from "../../package.json";

/** The names under which it is served: the present one, and its version. */
export const PACKAGE_FILES = ["postern.tgz", `postern-${version}.tgz`] as const;

/** The host of the examples in the documentation. */
const EXAMPLE = "https://postern.example.com";

/** What somebody types to install the package of the service at an address. */
export const installLine = (origin: string): string => `npm install ${origin}/${PACKAGE_FILES[0]}`;

/** Puts the address of the service that shows it into each line of a text that installs the package. */
export const withOwnPackage = (text: string, origin: string): string =>
  text.replaceAll(`${EXAMPLE}/postern`, `${origin}/postern`);
