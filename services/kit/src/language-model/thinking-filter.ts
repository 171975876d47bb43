/**
 * Removes a model's thinking from its reply: everything between `<think>`, `<thinking>` or `<reasoning>` and the end tag, and everything before
 * an end tag without a start, where the prompt held the start. A tag in backticks is text.
 */
export type ThinkingFilter = {
  /** The part of the text so far that is certainly no thinking; tags may be split anywhere. */
  push: (text: string) => ShownText
  /**
   * Flushes what was held back at the end of the reply. A block that opens a line and never ends hides everything after it; an unclosed tag within a
   * line, or within a block that ended, is text.
   */
  end: () => ShownText
}

/** Text to show; `replaces`: the text shown before was thinking, too. */
export type ShownText = { text: string; replaces: boolean }

const names = ['think', 'thinking', 'reasoning']
const tag = /<(?<slash>\/?)(?<name>think|thinking|reasoning)(?:\s[^<>]{0,200})?>/i
const longestTag = 216
/** Maximum length of hidden text that may turn out not to be thinking. */
const maxHidden = 100_000

const mayBecomeTag = (text: string): boolean => {
  const name = text.toLowerCase().replace(/^<\/?/, '')
  return (
    text.length < longestTag &&
    names.some((full) => full.startsWith(name) || (name.startsWith(full) && /^\s[^<>]*$/.test(name.slice(full.length))))
  )
}

type Block = { name: string; depth: number; opensLine: boolean; hasEnd: boolean; hidden: string }

export const createThinkingFilter = (): ThinkingFilter => {
  let held = ''
  let shown: ShownText = { text: '', replaces: false }
  let block: Block | undefined
  let isFirst = true
  let isLineBlank = true
  let previous = ''

  const emit = (text: string) => {
    if (text === '') return
    previous = text.at(-1) ?? ''
    if (!block) {
      const line = text.lastIndexOf('\n')
      isLineBlank = (line >= 0 || isLineBlank) && text.slice(line + 1).trim() === ''
      shown.text += text
    } else if (block.hasEnd || !block.opensLine) block.hidden = (block.hidden + text).slice(0, maxHidden)
  }
  const open = (name: string, text: string) => {
    isFirst = false
    if (block?.name === name) block.depth += 1
    if (block) return emit(text)
    block = { name, depth: 1, opensLine: isLineBlank, hasEnd: false, hidden: '' }
    emit(text)
  }
  const close = (name: string, text: string) => {
    if (!block) {
      if (isFirst) shown = { text: '', replaces: true }
      if (isFirst) isLineBlank = true
      isFirst = false
    } else if (block.name !== name) emit(text)
    else {
      block.depth -= 1
      block.hasEnd = true
      block.hidden = ''
      if (block.depth === 0) block = undefined
    }
  }
  const read = (isLast: boolean) => {
    for (let found = tag.exec(held); found?.groups; found = tag.exec(held)) {
      emit(held.slice(0, found.index))
      held = held.slice(found.index + found[0].length)
      const name = found.groups.name?.toLowerCase() ?? ''
      if (previous === '`') emit(found[0])
      else if (found.groups.slash === '/') close(name, found[0])
      else open(name, found[0])
    }
    const last = held.lastIndexOf('<')
    const cut = !isLast && last >= 0 && mayBecomeTag(held.slice(last)) ? last : held.length
    emit(held.slice(0, cut))
    held = held.slice(cut)
  }
  const taken = (): ShownText => {
    const now = shown
    shown = { text: '', replaces: false }
    return now
  }
  return {
    push: (text) => {
      held += text
      read(false)
      return taken()
    },
    end: () => {
      read(true)
      shown.text += block?.hidden ?? ''
      block = undefined
      return taken()
    },
  }
}

export const withoutThinking = (text: string): string => {
  const filter = createThinkingFilter()
  const first = filter.push(text)
  const rest = filter.end()
  return (rest.replaces ? rest.text : first.text + rest.text).trim()
}
