/** A flag of a score as it is shown. Hard ones overrule the score; soft ones are reasons to look closer. */
export type Flag = { name: string; label: string; isHard: boolean }

const labels: Readonly<Record<string, string>> = {
  new_account: 'new account',
  established_bad_actor: 'bad record',
  low_feedback: 'little feedback',
  zero_feedback: 'no feedback',
  account_under_30_days: 'account under 30 days',
  suspicious_price: 'price far below market',
  duplicate_photo: 'photo used elsewhere',
  scratch_dent: 'damage mentioned',
  long_on_market: 'long on the market',
  significant_price_drop: 'price dropped',
}

/** The flags that a score can have. */
export const flagNames: readonly string[] = Object.keys(labels)

export const flagLabel = (name: string): string => labels[name] ?? name.replaceAll('_', ' ')

export const flagsOf = (
  score: { hard_filters: readonly string[]; soft_flags: readonly string[] } | null | undefined,
): Flag[] => {
  const flag = (isHard: boolean) => (name: string) => ({ name, label: flagLabel(name), isHard })
  return [...(score?.hard_filters ?? []).map(flag(true)), ...(score?.soft_flags ?? []).map(flag(false))]
}

/** The signals of a score, in the order of the ledger, with a word for each where there is little space. */
export const signals = [
  ['account_age', 'Account age', 'age'],
  ['feedback_count', 'Feedback', 'count'],
  ['feedback_ratio', 'Positive feedback', 'positive'],
  ['price_vs_market', 'Price against market', 'price'],
  ['category_history', 'Same category', 'category'],
] as const
export type SignalName = (typeof signals)[number][0]

export type Tone = 'good' | 'warn' | 'bad' | 'plain'

/** How much a score is to be trusted: from 80 good, from 50 mixed. A hard filter overrules it, and a score that is unknown is neither. */
export const toneOf = (
  score:
    | { composite_score: number; score_range: { low: number } | null; hard_filters: readonly string[] }
    | null
    | undefined,
): Tone => {
  if (!score) return 'plain'
  if (score.hard_filters.length > 0) return 'bad'
  const lowest = score.score_range?.low ?? score.composite_score
  if (lowest >= 80) return 'good'
  return score.composite_score >= 50 ? 'warn' : 'bad'
}

const verdicts: Readonly<Record<Tone, string>> = {
  good: 'Nothing speaks against this seller.',
  warn: 'Look closer before you buy.',
  bad: 'Better leave it.',
  plain: 'Not scored.',
}

/** One sentence about a listing, from the worst that is known. */
export const verdictOf = (score: Parameters<typeof toneOf>[0] & Parameters<typeof flagsOf>[0]): string => {
  const [worst] = flagsOf(score)
  const verdict = verdicts[toneOf(score)]
  return worst === undefined ? verdict : `${worst.label.charAt(0).toUpperCase()}${worst.label.slice(1)}. ${verdict}`
}
