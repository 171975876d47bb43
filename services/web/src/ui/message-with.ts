import { type Failure, sentenceOf } from '../api/failure.ts'

/** The message of a failure with the names that the fields of a form have for the reader. */
export const messageWith = (
  { facts: { detail, fields = [] } }: Failure,
  labels: Readonly<Record<string, string>>,
): string => {
  if (fields.length > 0) return sentenceOf(fields, labels)
  const first = detail.slice(0, detail.indexOf(' '))
  const label = Object.hasOwn(labels, first) ? labels[first] : undefined
  return label === undefined ? detail : label + detail.slice(first.length)
}
