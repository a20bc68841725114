/** Starts the investigator's program as a separate process beside a local service, and enters it in a browser. */
import type { Page } from 'playwright-core';
import type { CleanupScope } from '#test/cleanup.ts';
import { type RunningProgram, startOffice, waitForProgramOutput } from '#test/service-process.ts';
import type { TestShop } from '#test/test-shop.ts';

/** Starts the program like `npm run desk`; without arguments it finds the local service by its configuration. */
export async function startDeskProgram(
  t: CleanupScope,
  { port, dataDir }: Pick<TestShop, 'port' | 'dataDir'>,
  args: readonly string[] = [],
): Promise<RunningProgram> {
  const settings = { PORT: String(port), DATA_DIR: dataDir };
  const asRoot = process.getuid?.() === 0 ? ['--as-root'] : [];
  const program = startOffice(t, ['desk', ...asRoot, ...args], settings);
  await waitForProgramOutput(program, 'Press Enter for a new address');
  return program;
}

/** Uses the printed address, which is valid once. */
export async function enterDeskProgram(page: Page, program: RunningProgram): Promise<void> {
  const [, address = ''] = /^ *or +(http:\S+)$/m.exec(program.readOutput()) ?? [];
  await page.goto(address);
  await page.waitForURL('**/queue');
}

/** Waits for the whole page before pressing, as a person would: keys work only after the script has run. */
export async function pressDeskKey(page: Page, key: string): Promise<void> {
  await page.waitForLoadState();
  await page.keyboard.press(key);
}
