import { wordsOf } from '../segments/tokens.ts'

/** Words of a question that do not help a search: stop words, and words about time and trouble. */
const questionWords = new Set(
  (
    'a about after again all also always am an and any anybody anymore anyone are around as at be because been before being between but by can could did do does doing each every for from ' +
    'get gets getting go goes going got had has have having he her here him his how i if in into is it its just keep keeps kept last like ' + // words: allowed
    'me more most my no nobody not now of off often on once only or other our out over please really see seem seems she should since so some somebody someone something sometimes ' + // words: allowed
    'still such tell than that the their them then there these they thing this those through to too today tried tries try trying tonight until up us very was we were what ' + // words: allowed
    'when where which while who why will with would yesterday you your am pm hour hours minute minutes day days week weeks ago morning ' +
    'afternoon evening night nights randomly noon midnight wrong problem problems issue issues happen happened happening show find help ' +
    // In the words of users, the machine is whatever the logs are about; in logs, "server" is a part of many names.
    'cannot nothing whole entire itself server servers computer machine'
  ).split(' '),
)

/** Whether a word of a question helps a search. */
export const carriesMeaning = (word: string): boolean => !questionWords.has(word)

const maxKeywords = 12

/** "I can't log in" and "logging in by ssh" are about logins; "errors in the log on web2" and "was logged in a file" are about logs. */
const loggingIn =
  /(?:(?<=\b(?:to|not|cannot|t|i|we|you|they|people|users?|anyone|everyone|who|get|gets|getting|got|stay|be|being) )(?:log|sign)(?:ged|ed)?|\b(?:logging|signing))[ -](?:in|into|on|onto)\b/gi

/**
 * "who tried to break in", "they broke into the server", "someone broke in through ssh"; of "the fan broke in May", nothing is known that it means.
 */
const breakingIn =
  /(?<=\b(?:to|who|someone|somebody|anyone|anybody|they|hackers?|attackers?|bots?) )(?:break|breaks|breaking|broke|broken) in\b|\b(?:break|breaks|breaking|broke|broken)(?: in\b(?! (?!through\b|via\b|over\b|by\b|from\b|using\b|with\b)\w)| into\b|-in\b)/gi // words: allowed

/** "a stranger got into my server", "they are trying to get in"; of "I cannot get into nextcloud", the login fails. */
const gettingIn =
  /(?<=\b(?:who|someone|somebody|anyone|anybody|they|strangers?|hackers?|attackers?|bots?) (?:\w+ ){0,4})(?:get|gets|getting|got) (?:in\b(?! (?:the|my|our|your|a|this)\b)|into\b)/gi // words: allowed
const failingToGetIn =
  /(?<=\b(?:cannot|can't|can not|couldn't|could not|unable to|won't) )(?:get|getting) (?:in\b(?! \w)|in to\b|into\b)/gi

/** The search terms of a symptom: its meaningful words, in order, without duplicates. Numbers alone are not keywords. */
export const keywordsOf = (symptom: string): string[] => {
  const named = symptom
    .replaceAll(loggingIn, ' login ')
    .replaceAll(breakingIn, ' attack ')
    .replaceAll(failingToGetIn, ' login ')
    .replaceAll(gettingIn, ' attack ')
  const words = wordsOf(named).filter(
    (word) => word.length > 1 && !questionWords.has(word) && !/^\d+(?:am|pm)?$/.test(word),
  )
  return [...new Set(words)].slice(0, maxKeywords)
}
