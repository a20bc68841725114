/** The values that the operator's texts may name, and how a text gets its values. */
import { DECLINED_DAYS, DEFAULT_KEEP_DAYS, WITHDRAWN_HOURS } from '#cases/retention.ts';
import { DELIVERY_HOURS, getTier } from '#payments/tiers.ts';
import type { Config } from '#platform/config.ts';
import { rejectContent } from './content-file.ts';

export type PlaceholderValues = Readonly<Record<string, string>>;

export function buildPlaceholderValues({ site }: Pick<Config, 'site'>): PlaceholderValues {
  const [trace, dossier, deepSweep] = [getTier('Trace'), getTier('Dossier'), getTier('Deep Sweep')];
  return {
    site_name: escapeMarkdown(site.name),
    maintainer_email: escapeMarkdown(site.maintainer),
    operator_name: escapeMarkdown(site.operator.name),
    operator_address: escapeMarkdown(site.operator.address),
    operator_law: escapeMarkdown(site.operator.law),
    delivery_hours: String(DELIVERY_HOURS),
    keep_days: String(DEFAULT_KEEP_DAYS),
    declined_days: String(DECLINED_DAYS),
    withdrawn_hours: String(WITHDRAWN_HOURS),
    trace_price: String(trace.price),
    dossier_price: String(dossier.price),
    deep_sweep_price: String(deepSweep.price),
    trace_receipt: trace.receiptName,
    dossier_receipt: dossier.receiptName,
    deep_sweep_receipt: deepSweep.receiptName,
  };
}

/** A name with such a character is shown as it is, not read as Markdown. */
function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_[\]<>#|~]/g, '\\$&');
}

const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;

/** Throws a ProgramError that names the file and the placeholder. */
export function fillPlaceholders(text: string, values: PlaceholderValues, path: string): string {
  const broken = /\{\{|\}\}/.exec(text.replace(PLACEHOLDER, ''));
  if (broken) rejectContent(path, `a placeholder is not whole: it begins with {{ and ends with }}`);
  return text.replace(PLACEHOLDER, (placeholder, name: string) => {
    const value = Object.hasOwn(values, name.trim()) ? values[name.trim()] : undefined;
    if (value === undefined)
      return rejectContent(path, `${placeholder} is not known; known are ${Object.keys(values).join(', ')}`);
    return value;
  });
}
