/** A day of writing at a desk that is killed, locked or without its office at random: what was typed is restored. */
import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { createTemporaryFolder, withReverseCleanup } from '#test/cleanup.ts';
import { insertPlantedCase } from '#test/desk-api/planted-case.ts';
import { openBrowserPage, openBrowserTests } from '#test/flows/browser.ts';
import { startServedPages } from './connected-desk.ts';
import type { DraftingOrder } from './drafting-desk.ts';

/** Each day has its seed and takes 90 seconds, mostly pauses. To run more, raise this and run the file alone. */
const DAYS = 5;
const CASES = 30;

const FIELDS = {
  reply: '#text',
  note: '#note',
  decline: '#decline-text',
  keep: '#keep-text',
  finding: '#markdown',
};
type FieldName = keyof typeof FIELDS;
const WORDS = 'Robin/wrote/again:/“no”/naïve/電話/👋🏽/<b>/&amp;/  two/\n/\n\n- item'.split('/');
const HAPPENINGS = ['nothing', 'leave', 'reload', 'lock', 'kill', 'office'] as const;
/** No character older than this is ever lost. */
const SAVED_AFTER_MS = 2_000;
const LONGEST_PAUSE_MS = 2_500;

const cleanup = withReverseCleanup({ after });
const { browser, prepare, test } = await openBrowserTests();
const cases: string[] = [];
let service: Awaited<ReturnType<typeof startServedPages>>['service'];

prepare(async () => {
  const served = await startServedPages(cleanup);
  service = served.service;
  const own = { assignee: served.office.holder, state: 'in_progress' } as const;
  while (cases.length < CASES) cases.push((await insertPlantedCase(service, own)).id);
});

/** Numbers from a seed (mulberry32), so that a day that failed can be repeated. */
function createChance(seed: number) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(next() * items.length)]!;
  return { next, pick };
}

class DraftingDay {
  readonly #chance: ReturnType<typeof createChance>;
  readonly #page: Page;
  readonly #args: readonly string[];
  #desk: ChildProcess | null = null;
  #origin = '';
  /** The age of the oldest character that was lost. */
  oldestLostMs = 0;

  constructor(seed: number, page: Page, args: readonly string[]) {
    this.#chance = createChance(seed);
    this.#page = page;
    this.#args = args;
  }

  async start(): Promise<void> {
    this.#desk = fork('test/desk/drafting-desk.ts', this.#args, { execArgv: [] });
    await this.#enter((await once(this.#desk, 'message'))[0] as string);
  }

  async end(): Promise<void> {
    const desk = this.#desk;
    if (desk === null || !desk.connected) return;
    const ended = once(desk, 'close');
    desk.kill('SIGKILL');
    await ended;
  }

  async #enter(address: string): Promise<void> {
    this.#origin = new URL(address).origin;
    await this.#page.goto(address);
    await this.#page.waitForURL('**/queue');
  }

  async #tell(order: DraftingOrder): Promise<string> {
    const told = once(this.#desk!, 'message');
    this.#desk!.send(order);
    return (await told)[0] as string;
  }

  async #open(id: string, name: FieldName): Promise<string> {
    await this.#page.goto(`${this.#origin}/cases/${id}${name === 'finding' ? '/finding' : ''}`);
    const field = this.#page.locator(FIELDS[name]);
    await field.waitFor({ state: 'attached' });
    await this.#page.evaluate(
      `document.querySelector('${FIELDS[name]}').closest('details')?.setAttribute('open', '')`,
    );
    return await field.inputValue();
  }

  /** Types once or twice, and then something happens. */
  async writeInCase(id: string): Promise<void> {
    const name = this.#chance.pick(Object.keys(FIELDS) as FieldName[]);
    // From the text that is certainly saved to the text that was typed last.
    let versions = [{ text: await this.#open(id, name), typedAt: 0 }];
    const turns = this.#chance.pick([1, 2]);
    for (let turn = 0; turn < turns; turn += 1) {
      const words = Array.from({ length: 4 }, () => this.#chance.pick(WORDS));
      const typed = [' Ada', ...words].join(' ');
      const field = this.#page.locator(FIELDS[name]);
      await field.focus();
      await this.#page.keyboard.press('Control+End');
      await this.#page.keyboard.insertText(typed);
      versions.push({ text: `${versions.at(-1)?.text}${typed}`, typedAt: performance.now() });
      await sleep(this.#chance.next() * LONGEST_PAUSE_MS);
      const happening = this.#chance.pick(HAPPENINGS);
      const lostAt = await this.#happen(happening, id, name);
      const there = happening === 'nothing' ? await field.inputValue() : await this.#open(id, name);
      const found = versions.findIndex(({ text }) => text === there);
      const [kept, lost] = versions.slice(found);
      assert.ok(
        found >= 0 && (!lost || lostAt !== null),
        `${happening} in ${name}: “${there}” is there of “${versions.at(-1)?.text}”`,
      );
      if (lost) this.oldestLostMs = Math.max(this.oldestLostMs, lostAt! - lost.typedAt);
      assert.ok(this.oldestLostMs < SAVED_AFTER_MS, `${happening} in ${name}: ${this.oldestLostMs} ms old`);
      // After 'nothing', the desk has not been asked for its text.
      if (happening !== 'nothing') versions = [kept!];
    }
  }

  /** Returns the time if text may be lost, because the page had not yet reported it as saved. */
  async #happen(happening: (typeof HAPPENINGS)[number], id: string, name: FieldName): Promise<number | null> {
    const page = this.#page;
    if (happening === 'leave') {
      await page.keyboard.press('Escape');
      await page.locator('.top nav a').first().click();
      await page.waitForURL('**/queue');
    }
    if (happening === 'lock') {
      // A save that is under way leads to that page; otherwise the next one does.
      const isMoved = page.waitForURL(/\/unlock/);
      await this.#tell('lock');
      const tellChange = `document.querySelector('${FIELDS[name]}').dispatchEvent(new Event('input', { bubbles: true }))`;
      await page.evaluate(tellChange).catch(() => {});
      await isMoved;
      await this.#enter(await this.#tell('unlock'));
    }
    if (happening === 'office') {
      await this.#tell('office away');
      await page.getByRole('link', { name: /Up to date|Not reached/ }).click();
      await page.locator('.notice[data-away]').waitFor();
      await page.getByRole('link', { name: 'Try now' }).click();
      await page.waitForLoadState();
      assert.ok(page.url().includes(id), 'one stays on the page');
      await this.#tell('office back');
    }
    const kind = name === 'finding' ? 'markdown' : name;
    if (happening !== 'kill' && happening !== 'reload') return null;
    const saved = await page.locator(`[data-saved=${kind}]`).textContent();
    const at = performance.now();
    if (happening === 'kill') {
      await this.end();
      await this.start();
    } else await page.reload();
    return saved?.startsWith('saved') ? null : at;
  }
}

for (let seed = 1; seed <= DAYS; seed += 1)
  test(`a day of writing loses nothing that was saved, and nothing that is two seconds old (seed ${seed})`, async (t) => {
    const folder = await createTemporaryFolder(cleanup);
    const { dataDir, port, keys } = service;
    const page = await openBrowserPage(cleanup, browser, 1366);
    const day = new DraftingDay(seed, page, [dataDir, String(port), keys.Sam.identity, folder]);
    await day.start();
    t.after(() => day.end());
    for (const id of cases) await day.writeInCase(id);
    t.diagnostic(`the oldest character that was lost was ${Math.round(day.oldestLostMs)} ms old`);
    await page.context().close();
  });
