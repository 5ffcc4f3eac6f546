/** Every table with its bound: whoever adds a table says in one of these lists how large it can get. */
import { BOUNDS_OF_ACCOUNTS } from "./accounts";
import type { TableBounds } from "./bound";
import { BOUNDS_OF_DELIVERIES } from "./deliveries";
import { BOUNDS_OF_PRODUCT } from "./product";
import { BOUNDS_OF_SERVICE } from "./service";

export const TABLE_BOUNDS: TableBounds = {
  ...BOUNDS_OF_ACCOUNTS,
  ...BOUNDS_OF_PRODUCT,
  ...BOUNDS_OF_DELIVERIES,
  ...BOUNDS_OF_SERVICE,
};
