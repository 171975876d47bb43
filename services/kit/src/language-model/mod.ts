export {
  type ChatEnd,
  type ChatLimits,
  type ChatMessage,
  type ChatOptions,
  chat,
  chatLimits,
  complete,
  type LanguageModel,
  LanguageModelError,
} from './chat.ts'
export type { ShownText } from './thinking-filter.ts'
