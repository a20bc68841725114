/** The investigator's program as a process of its own beside a local service, and a browser that enters it. */
import type { Page } from 'playwright-core';
import type { CleanupScope } from '#test/cleanup.ts';
import { type RunningProgram, startOffice, waitForProgramOutput } from '#test/service-process.ts';
import type { TestShop } from '#test/test-shop.ts';

/** As `npm run desk` does without an argument: it finds the local service by its configuration. */
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

/** By the address that is printed, which can be used once. */
export async function enterDeskProgram(page: Page, program: RunningProgram): Promise<void> {
  const [, address = ''] = /^ *or +(http:\S+)$/m.exec(program.readOutput()) ?? [];
  await page.goto(address);
  await page.waitForURL('**/queue');
}

/** As a person does, who sees the page before pressing: its keys work once its script ran, which is after its text is there. */
export async function pressDeskKey(page: Page, key: string): Promise<void> {
  await page.waitForLoadState();
  await page.keyboard.press(key);
}
