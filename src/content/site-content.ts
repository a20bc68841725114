/** The texts that belong to the operator: read and checked once, when the service starts. */
import { join } from 'node:path';
import { createTerms, type Terms } from '#cases/terms-version.ts';
import { type TierName, tierNames } from '#payments/tiers.ts';
import type { Config } from '#platform/config.ts';
import { readContentFile, rejectContent } from './content-file.ts';
import {
  type ContentPage,
  findSectionMarkdown,
  listSectionItems,
  readContentPage,
  toPlainSentence,
} from './content-page.ts';
import { type Helpline, parseHelplines } from './helplines.ts';
import { buildPlaceholderValues, fillPlaceholders, type PlaceholderValues } from './placeholders.ts';

/** The pages, by the names of their files. */
export const CONTENT_PAGES = ['terms', 'refunds', 'about', 'questions', 'what-you-get', 'sample'] as const;
export type ContentPageName = (typeof CONTENT_PAGES)[number];

/** What a buyer reads on the case page: the first paragraph under these headings of the refunds. */
const REFUND_SECTIONS = ['declined', 'withdrawn', 'late'] as const;
type RefundSection = (typeof REFUND_SECTIONS)[number];

export interface SiteContent {
  readonly pages: Readonly<Record<ContentPageName, ContentPage>>;
  readonly refundSentences: Readonly<Record<RefundSection, () => string>>;
  /** What each tier contains, for its card on the home page. */
  readonly tierItems: Readonly<Record<TierName, () => readonly string[]>>;
  readonly helplines: readonly Helpline[];
}

interface LoadedContent {
  readonly content: SiteContent;
  readonly terms: Terms;
}

/** Throws a StartError that names the file. */
export async function loadSiteContent(config: Pick<Config, 'site' | 'contentDir'>): Promise<LoadedContent> {
  const { contentDir: folder } = config;
  const values = buildPlaceholderValues(config);
  const texts = await readTexts(folder, values);
  const pages = mapNames(CONTENT_PAGES, (name) => readContentPage(texts[name], toPath(folder, name)));
  const refundSentences = mapNames(REFUND_SECTIONS, (id) => {
    const sentence =
      findSectionMarkdown(texts.refunds, id) ??
      rejectContent(toPath(folder, 'refunds'), `no paragraph follows a heading that ends with {#${id}}`);
    return () => toPlainSentence(sentence);
  });
  const tierItems = mapNames(tierNames, (name) => {
    const id = name.toLowerCase().replace(' ', '-');
    const items = listSectionItems(texts['what-you-get'], id);
    if (items.length === 0)
      rejectContent(toPath(folder, 'what-you-get'), `no list follows a heading that ends with {#${id}}`);
    return () => items.map(toPlainSentence);
  });
  const helplinesPath = join(folder, 'helplines.txt');
  const helplines = parseHelplines(await readContentFile(helplinesPath), helplinesPath);
  return { content: { pages, refundSentences, tierItems, helplines }, terms: createTerms(texts.terms) };
}

async function readTexts(
  folder: string,
  values: PlaceholderValues,
): Promise<Readonly<Record<ContentPageName, string>>> {
  const texts: [ContentPageName, string][] = [];
  // One after the other, so that the first fault in order is the one that is told.
  for (const name of CONTENT_PAGES) {
    const path = toPath(folder, name);
    texts.push([name, fillPlaceholders(await readContentFile(path), values, path)]);
  }
  return Object.fromEntries(texts) as Record<ContentPageName, string>;
}

function toPath(folder: string, name: ContentPageName): string {
  return join(folder, `${name}.md`);
}

function mapNames<Name extends string, Value>(
  names: readonly Name[],
  create: (name: Name) => Value,
): Record<Name, Value> {
  return Object.fromEntries(names.map((name) => [name, create(name)])) as Record<Name, Value>;
}
