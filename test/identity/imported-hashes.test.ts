/** Imported password hashes: published vectors, and bounds. */
import { describe, expect, test } from "vitest";
import { HashBeyondBounds, HashRefused } from "../../src/identity/passwords/imported/hash";
import { type GivenHash, readStored, tagHash } from "../../src/identity/passwords/imported/read";
import { matchesImported } from "../../src/identity/passwords/imported/verify";
import { clerk } from "../../src/sdk/cli/people/clerk";
import { csvWith } from "../../src/sdk/cli/people/generic-csv";
import { FIREBASE } from "../support/imported-hashes";

const SOURCE = { importId: "0190a0a0-1b2c-7d3e-8f40-5a6b7c8d9e0f", firebase: FIREBASE.settings };

const matches = async (given: GivenHash, password: string): Promise<boolean> => {
  const hash = readStored(tagHash(given, SOURCE), FIREBASE.settings);
  if (!hash) throw new Error("the stored hash cannot be read");
  return matchesImported(hash, password);
};

/** Vectors of jBCrypt, of the reference implementation of argon2, of RFC 6070 and 7914, and of Python's hashlib. */
const VECTORS: [name: string, given: GivenHash, password: string][] = [
  ["bcrypt", { hash: "$2a$06$m0CrhHm10qJ3lXRY.5zDGO3rS2KdeeWLuGmsfGlMfOxih58VYVfxe" }, "a"],
  ["bcrypt $2y$", { hash: "$2y$06$If6bvum7DFjUnE9p2uDeDu0YHzrHM6tf.iqN8.yx.jNN1ILEf7h0i" }, "abc"],
  [
    "argon2i",
    { hash: "$argon2i$v=19$m=256,t=2,p=1$c29tZXNhbHQ$iekCn0Y3spW+sCcFanM2xBT63UP2sghkUoHLIUpWRS8" },
    "password",
  ],
  [
    "argon2id",
    { hash: "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4" },
    "password",
  ],
  [
    "argon2id with two lanes",
    { hash: "$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc" },
    "password",
  ],
  [
    "scrypt",
    {
      hash:
        "$scrypt$ln=14,r=8,p=1$U29kaXVtQ2hsb3JpZGU" +
        "$cCO9yzr9c0hGHAbNgf046/2o+7qQT44+qbVD9lRdofLVQylVYT8Pz2LUlwUkKpr55h6F3A1lHkDfzwF7RVdYhw",
    },
    "pleaseletmein",
  ],
  ["firebase-scrypt", FIREBASE.hash, FIREBASE.password],
  ["pbkdf2", { hash: "$pbkdf2$i=4096,l=20$c2FsdA$SwB5AbdlSJq+rUnZJvch0GWkKcE" }, "password"],
  [
    "Django's pbkdf2_sha256",
    { hash: "pbkdf2_sha256$100000$seasalt2seasalt2$5u89JREhAcNhmAoCw7BsUiSSrzyuXisvWb6tPRl9o/4=" },
    "correct horse",
  ],
  ["Django's pbkdf2_sha1", { hash: "pbkdf2_sha1$100000$seasalt$FEQexXJj+PH45Dov57C34CBYLwc=" }, "correct horse"],
  ["Django's bcrypt", { hash: "bcrypt$$2a$06$m0CrhHm10qJ3lXRY.5zDGO3rS2KdeeWLuGmsfGlMfOxih58VYVfxe" }, "a"],
  [
    "Django's bcrypt_sha256",
    { hash: "bcrypt_sha256$$2b$06$gHbZqdaGP9qQedUk1YWuAerLwbWdeOIL3VPg9mAa6vB7FRYO3G8w." },
    "correct horse",
  ],
  [
    "Django's argon2",
    { hash: "argon2$argon2i$v=19$m=256,t=2,p=1$c29tZXNhbHQ$iekCn0Y3spW+sCcFanM2xBT63UP2sghkUoHLIUpWRS8" },
    "password",
  ],
  [
    "better-auth",
    {
      hash:
        "30313233343536373839616263646566:e61961757ad2079e90f9e500e49ed406f2663b57de713e9d250a9eb91dafda25" +
        "16da588d2ef63816bb6e8070bb019762324c1618be571626819a527418b75576",
    },
    "correct horse",
  ],
];

/** Computed by a library, which is slow in tests: a hash takes seconds. */
const BEYOND_THE_PLATFORM: typeof VECTORS = [
  [
    "pbkdf2-sha256 beyond what the platform computes",
    { hash: "$pbkdf2-sha256$i=100001,l=32$MDEyMzQ1Njc4OWFiY2RlZg$3avmSeWY5DZ5AVLb46rS6es081sJ46eNFMPCESlISfA" },
    "correct horse",
  ],
  [
    "pbkdf2-sha512 beyond what the platform computes",
    {
      hash:
        "$pbkdf2-sha512$i=100001$MDEyMzQ1Njc4OWFiY2RlZg" +
        "$HvUEuLfowtmtLJ9mJulLGQiUuixSqhIvxdoyPOYF/kpf4aQWv+V0/SHtqsMJ4QlYqI3FGtpHP/2qTDJJxf+BSw",
    },
    "correct horse",
  ],
];

test.each(BEYOND_THE_PLATFORM)(
  "%s takes the right password",
  async (_name, given, password) => {
    expect(await matches(given, password)).toBe(true);
  },
  120_000,
);

test.each(VECTORS)("%s takes the right password and no other", async (_name, given, password) => {
  expect(await matches(given, password)).toBe(true);
  expect(await matches(given, `${password}x`)).toBe(false);
});

/** By `password_hasher` of Clerk's export. Made by Python's werkzeug and hashlib, and by the vectors above. */
const OF_CLERK: [hasher: string, digest: string, password: string][] = [
  ["bcrypt", "$2a$06$m0CrhHm10qJ3lXRY.5zDGO3rS2KdeeWLuGmsfGlMfOxih58VYVfxe", "a"],
  [
    "bcrypt_sha256_django",
    "bcrypt_sha256$$2b$06$gHbZqdaGP9qQedUk1YWuAerLwbWdeOIL3VPg9mAa6vB7FRYO3G8w.",
    "correct horse",
  ],
  ["argon2i", "$argon2i$v=19$m=256,t=2,p=1$c29tZXNhbHQ$iekCn0Y3spW+sCcFanM2xBT63UP2sghkUoHLIUpWRS8", "password"],
  ["argon2id", "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4", "password"],
  [
    "pbkdf2_sha256",
    "pbkdf2_sha256$1000$MDEyMzQ1Njc4OWFiY2RlZg==$cBg8D2DungRB9k76szThf5ehfyBz991ay6PT8Srwk4M=",
    "correct horse",
  ],
  ["pbkdf2_sha256_django", "pbkdf2_sha256$1000$seasalt2$oksQ9Bdi8Bce0okH61Cis7qICJfP+cYfDOnMdNPMzK8=", "correct horse"],
  ["pbkdf2_sha1", "pbkdf2_sha1$1000$seasalt$890be434e175c042f82a187c7a8809f2b5218a93", "correct horse"],
  [
    "scrypt_werkzeug",
    "scrypt:32768:8:1$igdO4lsgUPlvfFMM$2083c6d414a0f6829ae0f864c0465697609e916b423c6cad500ae7c93879a8f31983e4308a" +
      "99949494dd5d695d459c07afd55b6dcf8ced7c245622dc2805b18d",
    "correct horse",
  ],
  [
    "scrypt_werkzeug",
    "scrypt:32768:8:1$sélt✓Ж$c03c37dc49611f6982a6413a19f1e9a09bde002f8e1a432da63931cec7b89e622c4ca6" +
      "849e250f03a6ee4ef8886dc2871b26bb5d3024514c8f7129464a9b638a",
    "correct horse",
  ],
];

test.each(OF_CLERK)("Clerk's %s takes the right password and no other", async (hasher, digest, password) => {
  const names = "id,primary_email_address,verified_email_addresses,password_digest,password_hasher";
  const left: string[] = [];
  const [person] = clerk(`${names}\nuser_1,ada@example.com,,"${digest}",${hasher}\n`, (what) => left.push(what));
  const given = person?.password;
  if (!given) throw new Error(`left out: ${left.join()}`);
  expect(await matches(given, password)).toBe(true);
  expect(await matches(given, `${password}x`)).toBe(false);
});

/** As frameworks store them. Made by Passlib and by Python's hashlib, and by the vectors above. */
const OF_FRAMEWORKS: [hash: string, password: string][] = [
  ["{bcrypt}$2a$06$m0CrhHm10qJ3lXRY.5zDGO3rS2KdeeWLuGmsfGlMfOxih58VYVfxe", "a"],
  ["$pbkdf2-sha256$1000$./8wMTIzNDU2Nzg5$sh77pGQljEutLjM4SjAvmbo4wFw49/TLmz7LjzkeOVo", "correct horse"],
  ["pbkdf2:sha256:1000$seasalt$9909ee7926a46fbe3ccea0400b5b6659566c65b8b6ccf1996ab1334c675f9aca", "correct horse"],
];

test.each(OF_FRAMEWORKS)("%s in a CSV takes the right password and no other", async (hash, password) => {
  const [person] = csvWith("email=mail,password=hash")(`mail,hash\na@b.c,${hash}\n`, () => undefined);
  const given = person?.password;
  if (!given) throw new Error("left out");
  expect(await matches(given, password)).toBe(true);
  expect(await matches(given, `${password}x`)).toBe(false);
});

test("a password is tried as typed, and then in NFKC", async () => {
  // Made of "ﬁnancial" as typed, and of "financial".
  const typed = { hash: "$pbkdf2-sha256$i=1$c2FsdA$C5e+SHZP5RyxURgqTBKCUZ7zQwMVwYzZHa9LRpWMwFk" };
  const normal = { hash: "$pbkdf2-sha256$i=1$c2FsdA$QwTsaiHRdi8XyzEsBhQMCQbN2g9Apc5oQ5qBjegtkhE" };
  expect(await matches(typed, "ﬁnancial")).toBe(true);
  expect(await matches(typed, "financial")).toBe(false);
  expect(await matches(normal, "ﬁnancial")).toBe(true);
});

const SALT = "c29tZXNhbHQ";
const TAG = "iekCn0Y3spW+sCcFanM2xBT63UP2sghkUoHLIUpWRS8";
const BCRYPT = "m0CrhHm10qJ3lXRY.5zDGO3rS2KdeeWLuGmsfGlMfOxih58VYVfxe";
const argon2 = (memory: number, passes: number, lanes: number, salt = SALT, tag = TAG) =>
  `$argon2id$v=19$m=${memory},t=${passes},p=${lanes}$${salt}$${tag}`;
const scrypt = (logN: number, blockSize: number, lanes: number) =>
  `$scrypt$ln=${logN},r=${blockSize},p=${lanes}$${SALT}$${TAG}`;
const bytes = (length: number) => btoa("x".repeat(length)).replaceAll("=", "");

describe("bounds", () => {
  test.each([
    ["the cost of bcrypt", `$2b$04$${BCRYPT}`, `$2b$03$${BCRYPT}`],
    ["the cost of bcrypt", `$2b$14$${BCRYPT}`, `$2b$15$${BCRYPT}`],
    ["the least memory of argon2", argon2(8, 1, 1), argon2(7, 1, 1)],
    ["the most memory of argon2", argon2(131_072, 2, 1), argon2(131_073, 1, 1)],
    ["the passes of argon2", argon2(64, 10, 1), argon2(64, 11, 1)],
    ["the lanes of argon2", argon2(64, 1, 8), argon2(128, 1, 9)],
    ["the memory times the passes of argon2", argon2(26_214, 10, 1), argon2(26_215, 10, 1)],
    ["the shortest salt of argon2", argon2(64, 1, 1, bytes(8)), argon2(64, 1, 1, bytes(7))],
    ["the longest salt of argon2", argon2(64, 1, 1, bytes(64)), argon2(64, 1, 1, bytes(65))],
    ["the shortest tag of argon2", argon2(64, 1, 1, SALT, bytes(16)), argon2(64, 1, 1, SALT, bytes(15))],
    ["the longest tag of argon2", argon2(64, 1, 1, SALT, bytes(64)), argon2(64, 1, 1, SALT, bytes(65))],
    ["the version of argon2", argon2(64, 1, 1), argon2(64, 1, 1).replace("v=19", "v=16")],
    ["N·r of scrypt", scrypt(16, 8, 1), scrypt(17, 8, 1)],
    ["N·r·p of scrypt", scrypt(16, 8, 2), scrypt(16, 8, 3)],
    ["PBKDF2 with sha256", `$pbkdf2-sha256$i=2000000$${SALT}$${TAG}`, `$pbkdf2-sha256$i=2000001$${SALT}$${TAG}`],
    ["PBKDF2 with sha512", `$pbkdf2-sha512$i=2000000$${SALT}$${TAG}`, `$pbkdf2-sha512$i=2000001$${SALT}$${TAG}`],
    ["Django's default of PBKDF2", `pbkdf2_sha256$1500000$salt$${TAG}`, `pbkdf2_sha256$2000001$salt$${TAG}`],
    ["Django's default of argon2", `argon2${argon2(102_400, 2, 8)}`, `argon2${argon2(102_400, 3, 8)}`],
    ["Django's iterations", `pbkdf2_sha256$1$salt$${TAG}`, `pbkdf2_sha256$0$salt$${TAG}`],
  ])("%s is taken at its bound and left out beyond", (_name, within, beyond) => {
    expect(() => tagHash({ hash: within }, SOURCE)).not.toThrow();
    expect(() => tagHash({ hash: beyond }, SOURCE)).toThrow(HashBeyondBounds);
  });

  test("the largest costs run on this platform", async () => {
    for (const hash of [scrypt(16, 8, 2), argon2(131_072, 2, 1)])
      expect(await matches({ hash }, "password")).toBe(false);
  });
});

describe("refusals", () => {
  test.each([
    ["md5", "5f4dcc3b5aa765d61d8327deb882cf99"],
    ["sha-512 crypt", "$6$rounds=5000$abc$def"],
    ["phpass", "$P$BabcdefghijklmnopqrstuvwxyZ0123"],
    ["md5 crypt", "$1$abc$def"],
    ["an empty text", ""],
    ["a text of a megabyte", "x".repeat(1_000_000)],
    ["better-auth's with a shorter key", `${"0".repeat(32)}:${"0".repeat(126)}`],
    ["argon2 whose salt is not Base64", "$argon2id$v=19$m=64,t=1,p=1$%%%$AAAA"],
  ])("%s is refused without repeating it", (_name, hash) => {
    const refuse = () => tagHash({ hash }, SOURCE);
    expect(refuse).toThrow(HashRefused);
    try {
      refuse();
    } catch (error) {
      if (hash !== "") expect((error as Error).message).not.toContain(hash);
    }
  });

  test("an unknown kind, and one whose form differs, are refused", () => {
    const hash = `$2b$06$${BCRYPT}`;
    for (const kind of ["md5", "scrypt", "constructor"])
      expect(() => tagHash({ hash, kind }, SOURCE)).toThrow(HashRefused);
  });

  test("Firebase's hash needs its salt and its settings", () => {
    const given = { kind: "firebase-scrypt", hash: bytes(64), salt: "42xEC+ixf3L2lw==" };
    expect(() => tagHash(given, SOURCE)).not.toThrow();
    expect(() => tagHash(given, { ...SOURCE, firebase: null })).toThrow("hashSettings.firebase is missing");
    expect(() => tagHash({ ...given, salt: undefined }, SOURCE)).toThrow("password.salt is missing");
    expect(() => tagHash({ ...given, hash: bytes(63) }, SOURCE)).toThrow(HashRefused);
  });
});
