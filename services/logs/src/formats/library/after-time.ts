import { anyLevel } from './pieces.ts'

/**
 * What programs put between a time and a level: brackets, and what has more than letters up to a space or a bracket. No words. Each ends in
 * one way only, or a line could be taken apart in thousands.
 */
const mark = String.raw`(?:\[[^\[\]]{0,60}\]:?|\([^()]{0,60}\):?|(?=[A-Za-z]{0,40}(?:[^\sA-Za-z\[\](),.;:!?"']|[.:]\w))[^\s\[\]()]{1,60}(?=[\s\[(]))\s*`
/** One word may stand before a level that is in capitals or in brackets. */
const name = String.raw`(?:[A-Za-z]\w{0,39}[:|,]?\s+(?=[\[(]?[A-Z]{2}|[\[(]\w+[\])])|[\w.$-]{1,40}[\]|:])?`
const context = `(?<context>(?:${mark}){0,6}?${name})`
/** Past these, a small word is one of a sentence. */
const plainLevel = String.raw`(?=[\[("|:<]? {0,4}(?:[A-Z]{2,}|\w+ {0,4}[\])|:",;>]))`
/** A one-letter level, if it is followed by a bracket, a number, a file name or a program with its process number rather than by prose. */
const letter = String.raw`C(?=\])|[DIWEFNTV](?=!\s|\]|:? {1,3}(?:[\[(<\d]|\S{1,60}[./:\[]\w))`
/** What may be between a time and its message: a level, where nothing but marks comes before it. What is more belongs to the message. */
export const afterTime = String.raw`(?:[\s|:,;]|-(?=[\s-]))*(?:(?:${context}${plainLevel})??(?:[\[("|:<] {0,4})?(?<level>${anyLevel}|EROR|(?:fail|dbug|trce)(?=:)|${letter})(?= {0,4}[\s\]|:)",;>!]))?(?:[\s\]:|)>,;]|!(?=\s)|"(?=[\s,])|-(?=[\s-]))*`
