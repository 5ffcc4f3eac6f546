/** The part of `node:crypto` that the Workers runtime has without a flag and that is used here. */
declare module "node:crypto" {
  export function scrypt(
    password: Uint8Array,
    salt: Uint8Array,
    keyLength: number,
    options: { N: number; r: number; p: number; maxmem: number },
    done: (error: Error | null, key: Uint8Array) => void,
  ): void;
}
