/** Words by which providers tell kinds of failure. Digits never count: they stand in ids too. */

/** Waiting helps, even if the text speaks of tokens. */
export const throttleText =
  /please wait|rate.?limit|too many requests|throttl|requests? per (second|minute|day)|tokens per (minute|day)|slow down/i;

export const quotaText =
  /insufficient.?(quota|balance|credits?|funds)|exceeded your current quota|credit balance is too low|out of credits|more credits|billing.{0,20}(limit|hard)|payment required|quota.{0,20}(exhausted|used up)|spending limit|account.{0,20}(arrears|overdue)|余额不足|欠费/i;

export const overflowText = new RegExp(
  [
    "context_length_exceeded",
    "model_context_window_exceeded",
    "context.?(length|window|size).{0,30}(exceed|overflow|too (long|small))",
    "exceed.{0,40}(context|maximum (prompt|input|context)|token limit|max_prompt_tokens|model token)",
    "maximum context length",
    "prompt is too long",
    "prompt too long",
    "input is too long",
    "input.{0,20}(token|length).{0,60}exceed",
    "maximum prompt length",
    "greater than the context length",
    "reduce the length of (the|your) (messages|prompt|input)",
    "too large for model with",
    "request too large for",
    "range of input length should be",
    "too many (input )?tokens",
    "larger than the (context|maximum)",
    "input tokens? (limit|exceed)",
  ].join("|"),
  "i",
);

export const authText =
  /(invalid|incorrect|missing|no|bad|expired|wrong).{0,12}api.?key|api.?key.{0,20}(not valid|invalid|expired|not found|missing)|api_key_invalid|authentication.?(error|fail)|unauthori[sz]ed|invalid.{0,12}(token|credential)s?\b/i;

export const modelText =
  /model.?not.?(found|exist)|unknown.?model|no such model|model\W{0,3}[\w./:-]*\W{0,3} (does not exist|not found|is not (available|supported))|not a valid model|model_not_available|invalid.?model|pulling it first/i;

export const filterText =
  /content.?(filter|management policy|exists risk|policy)|data_inspection_failed|inappropriate content|flagged|moderation|safety (system|setting)|prohibited_content/i;

export const overloadText =
  /overload|server.?error|internal error|service.?unavailable|temporarily unavailable|bad gateway|gateway time.?out|timed? ?out|try again later|capacity|upstream|connection (reset|closed|error)|network|early end|premature/i;
