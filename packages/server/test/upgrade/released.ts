/**
 * Migrations that databases of others have: never changed again, and SHA-256 of the file is how it is noticed. A migration
 * is added here with the release that brings it.
 */
export const RELEASED: Readonly<Record<string, string>> = {
  '0001_init': 'f8ee0d2bbf3d8fe5b1b4bdefd2c7e8b6f4798d12b39d28164abc9eb7bf0ec8c2',
  '0002_models': 'ea76c9af1d455a312892d7d5fc716c07ed8b452091f3e47515a79eb3e4cfea4f',
  '0003_accounting': '73b32263e94620e9bd14a2a7820e4f9808f5672d6ba6f6ca597ae6f25121e900',
  '0004_runs': 'c13098136742c6db73572e56868fd9b74689c434efaa08e4db05af2d9b12ee18',
  '0005_debug_record': 'f31d8896f86f35f090800d56394532969f19b312c4d135115c87f9235498e3d6',
  '0006_workspaces': 'e3124065b98cea3d64ae7e00acbeb925fdf3642ac373cd648628d903dc9a08b4',
  '0007_mcp': '93236b202f2411ce7b826cb6520a5bd908407789011f5f7d654108892ff3bd7e',
  '0008_people': '12640c1abfcd518dba05b09f909253226c0865f892ad728174b1e6d501c68497',
  '0009_desktops': '68c4a165378e8ddddf08acb2e6a761bf210e371bace2918ff317be43d8db0e67',
  '0011_interrupted': '9b3c388bf3de83aa7e5f9049bd76d20ea98c2cf337f2cecd206f165fde468a98',
};
