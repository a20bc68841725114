/** The values that the operator's texts may name, and how they are put in. */

import { DECLINED_DAYS, DEFAULT_KEEP_DAYS, WITHDRAWN_HOURS } from '#cases/retention.ts';
import { DELIVERY_HOURS, getTier } from '#payments/tiers.ts';
import type { Config } from '#platform/config.ts';
import { rejectContent } from './content-file.ts';

export type PlaceholderValues = Readonly<Record<string, string>>;

export function buildPlaceholderValues({ site }: Pick<Config, 'site'>): PlaceholderValues {
  const [trace, dossier, deepSweep] = [getTier('Trace'), getTier('Dossier'), getTier('Deep Sweep')];
  return {
    site_name: site.name,
    maintainer_email: site.maintainer,
    operator_name: site.operator.name,
    operator_address: site.operator.address,
    operator_law: site.operator.law,
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

const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;
/** A name with such a character is shown as it is, not read as Markdown. */
const MARKDOWN_SIGNS = /[\\`*_[\]<>#|~]/g;

/** Throws a ProgramError that names the file and the placeholder. */
export function fillPlaceholders(text: string, values: PlaceholderValues, path: string): string {
  const broken = /\{\{|\}\}/.exec(text.replace(PLACEHOLDER, ''));
  if (broken) rejectContent(path, `a placeholder is not whole: it begins with {{ and ends with }}`);
  return text.replace(PLACEHOLDER, (placeholder, name: string) => {
    const value = Object.hasOwn(values, name.trim()) ? values[name.trim()] : undefined;
    if (value === undefined)
      return rejectContent(path, `${placeholder} is not known; known are ${Object.keys(values).join(', ')}`);
    return value.replace(MARKDOWN_SIGNS, '\\$&');
  });
}
