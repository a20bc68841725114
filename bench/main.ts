/** `npm run bench -- NAME [--rounds N]`: compares servers within one run; absolute numbers mean little. */
import { parseArgs } from 'node:util';
import { benchCheckout } from './checkout.ts';
import { benchHealth } from './health.ts';
import { benchToken } from './token.ts';

const benches: Record<string, (rounds: number) => Promise<void>> = {
  checkout: benchCheckout,
  health: benchHealth,
  token: benchToken,
};

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '6' } },
});
const bench = benches[positionals[0] ?? ''];
const rounds = Number(values.rounds);

if (bench && Number.isInteger(rounds) && rounds > 0) await bench(rounds);
else {
  process.stderr.write(
    `Usage: npm run bench -- NAME [--rounds N]\nNames: ${Object.keys(benches).join(', ')}\n`,
  );
  process.exitCode = 64;
}
