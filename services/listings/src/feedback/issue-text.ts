/** Feedback as sent by the client. */
export type Feedback = {
  readonly title: string
  readonly description: string
  readonly type: 'bug' | 'feature' | 'other'
  readonly repro: string
  readonly view: string
  readonly submitter: string
}

export type IssueContext = {
  readonly product: string
  readonly version: string
  readonly platform: string
  readonly sentAt: Date
}

const headings = { bug: 'Bug report', feature: 'Feature request', other: 'Feedback' } as const

/** Control characters, and characters that reverse or hide text; line breaks and tabs remain. */
const invisible = /[\p{Cc}\u061C\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/gu

const visible = (text: string): string =>
  text.replaceAll(/\r\n?/g, '\n').replaceAll(invisible, (character) => (/[\n\t]/.test(character) ? character : ''))

const onOneLine = (text: string): string => visible(text).replaceAll(/\s+/g, ' ').trim()

/** The longest run of backticks in a text. */
const longestRun = (text: string): number => Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length))

/**
 * A user's text as a code block, whose fence is longer than any in the text: trackers show it literally, so it can notify no one,
 * link no issue, load no image and contain no markup.
 */
const quoted = (text: string): string => {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1))
  return `${fence}text\n${visible(text).replace(/\n+$/, '')}\n${fence}`
}

const quotedInline = (text: string): string => {
  const line = onOneLine(text)
  const fence = '`'.repeat(longestRun(line) + 1)
  return line === '' ? '(none)' : `${fence} ${line} ${fence}`
}

/** Characters that Forgejo accepts in a title; GitHub accepts one more. */
const maxTitle = 255

/** The title of an issue. A word joiner after `@`, `#` and `!` keeps trackers from reading mentions and references into it. */
export const issueTitle = ({ title }: Pick<Feedback, 'title'>): string =>
  Array.from(onOneLine(title).replaceAll(/[@#!](?=\w)/g, '$&\u2060'))
    .slice(0, maxTitle)
    .join('')

/** The body of an issue, in Markdown. */
export const issueBody = (feedback: Feedback, { product, version, platform, sentAt }: IssueContext): string => {
  const { type, description, repro, view, submitter } = feedback
  const steps = type === 'bug' && repro.trim() !== '' ? ['### Reproduction Steps', quoted(repro)] : []
  const context = [
    `- Product: ${product}`,
    `- View: ${view.trim() === '' ? 'unknown' : quotedInline(view)}`,
    `- Version: ${version}`,
    `- Platform: ${platform}`,
    `- Time: ${sentAt.toISOString()} (UTC)`,
    ...(submitter.trim() === '' ? [] : [`- Submitted by: ${quotedInline(submitter)}`]),
  ]
  return [`## ${headings[type]}`, quoted(description), ...steps, '### Context', context.join('\n')].join('\n\n')
}
