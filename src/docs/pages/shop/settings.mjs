/** The settings of the shop, from the environment. */
const { PLATFORM_KEY, SHOP_SECRET, PORT = "3000", SHOP_DB = "shop.db" } = process.env;
const { POSTERN_URL = "http://localhost:8787", SHOP_URL = `http://localhost:${PORT}` } = process.env;
if (!PLATFORM_KEY || !SHOP_SECRET) throw new Error("Set PLATFORM_KEY, and SHOP_SECRET to a long random text.");

export { PLATFORM_KEY, PORT, POSTERN_URL, SHOP_DB, SHOP_SECRET, SHOP_URL };

export const CUSTOMERS = [
  { id: "tea-house", name: "Tea House", email: "ada@tea-house.example" },
  { id: "book-barn", name: "Book Barn", email: "ben@book-barn.example" },
];
