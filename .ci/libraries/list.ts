/** The libraries of `npm run libraries`: how each is installed and run. */
import { join } from "node:path";

const OURS = new URL(".", import.meta.url).pathname;
const NEXT_SAMPLE = "src/docs/pages/web-session/next";
const NPM = ["npm", "install", "--silent", "--no-audit", "--no-fund"];

export interface Library {
  name: string;
  /** Where files of this repository go in its folder. */
  files: Record<string, string>;
  /** Commands that install it there. */
  install: string[][];
  /** Prints its version. */
  version: string[];
  run: string[];
  /** Of a program that prints where the browser goes, and reads where it came back to: whether it checks the nonce. */
  readsNonce?: boolean;
  /** Of a device: it prints a link, and asks after a line has come that somebody has answered. */
  isDevice?: true;
  /** Of a server: what its page says, and what signs out. */
  says?: (email: string, tenantId: string) => string;
  /** Whether it takes back-channel logout. */
  isTold?: boolean;
  signOut?: (appUrl: string) => [url: string, form?: Record<string, string>];
}

const versionOf = (name: string) => ["node", "-p", `require("./node_modules/${name}/package.json").version`];

const python = (name: string, file: string, more: Partial<Library>): Library => ({
  name,
  files: { [file]: join(OURS, file) },
  install: [
    ["python3", "-m", "venv", "."],
    ["bin/pip", "install", "--quiet", "--disable-pip-version-check", name, "requests"],
  ],
  version: ["bin/python", "-c", `from importlib.metadata import version; print(version("${name}"))`],
  run: ["bin/python", file],
  ...more,
});

/** `base` is the address of the service, from which our own package is installed. */
export const librariesAt = (base: string): Library[] => [
  {
    name: "express-openid-connect",
    files: { "app.mjs": join(OURS, "express-openid-connect.mjs") },
    install: [[...NPM, "express-openid-connect", "express"]],
    version: versionOf("express-openid-connect"),
    run: ["node", "app.mjs"],
    says: (email, tenantId) => JSON.stringify({ email, tenantId, isRenewed: true }),
    isTold: true,
    signOut: (appUrl) => [`${appUrl}/logout`],
  },
  {
    name: "postern/web with Next",
    files: {
      "app/auth/[...path]/route.js": join(NEXT_SAMPLE, "route.js"),
      "app/page.js": join(NEXT_SAMPLE, "page.js"),
      "app/layout.js": join(OURS, "next-layout.js"),
      "proxy.js": join(NEXT_SAMPLE, "proxy.js"),
      "web.js": join(NEXT_SAMPLE, "web.js"),
    },
    install: [
      [...NPM, "next", "react", "react-dom", `${base}/postern.tgz`],
      ["npx", "next", "build"],
    ],
    version: versionOf("next"),
    run: ["node", "node_modules/next/dist/bin/next", "start"],
    says: (email) => `<h1>Hello ${email} of Yours</h1>`,
    isTold: true,
    signOut: (appUrl) => [`${appUrl}/auth/sign-out`, {}],
  },
  python("Authlib", "authlib_client.py", { readsNonce: true }),
  python("Authlib", "authlib_device.py", { isDevice: true }),
  python("requests-oauthlib", "requests_oauthlib_client.py", {}),
  {
    name: "go-oidc",
    files: { "main.go": join(OURS, "go_oidc.go") },
    install: [
      ["go", "mod", "init", "client"],
      ["go", "mod", "tidy"],
      ["go", "build", "-o", "client", "."],
    ],
    version: ["go", "list", "-m", "-f", "{{.Version}}", "github.com/coreos/go-oidc/v3"],
    run: ["./client"],
    readsNonce: true,
  },
];
