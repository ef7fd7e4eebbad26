# serve answers all events of a session, which chibi writes to a resident plugin, one on each line. It passes each of
# them to answer, as if the plugin had been started for it. The names of its own variables begin with serve_.
serve() {
  unset CHIBI_CONTEXT CHIBI_VERBOSE CHIBI_SESSION_ID CHIBI_PROMPT_ID CHIBI_TRANSCRIPT_PATH # of the start
  serve_before='' serve_variables='' serve_mark=$(printf '\357\273\277')
  case $- in *e*) serve_options=-e ;; *) serve_options=+e ;; esac
  set +e # it holds in answer, and does not end serve, as pipefail
  case $(set +o) in *'-o pipefail'*) set +o pipefail; serve_options="$serve_options -o pipefail" ;; esac
  while IFS= read -r serve_line; do
    serve_id=${serve_line%%',"method":'*} serve_id=${serve_id##*:}
    case "$serve_line" in
    '{"jsonrpc":"2.0","id":'"$serve_id"',"method":"hook",'*)
      serve_line=${serve_line#*'"meta":{'} serve_meta=${serve_line%%'},"point":"'*}
      serve_line=${serve_line#*'},"point":"'} serve_data=${serve_line#*',"payload":'}
      [ "$serve_meta" = "$serve_before" ] || serve_surround
      serve_text=$(serve_event CHIBI_HOOK CHIBI_HOOK_DATA)
      case $?:$serve_text in
      75: | 76:*) serve_text='"error":{"code":-32001,"message":"it read nothing of what is too large for a variable"}' ;;
      0:* | 75:*)
        case "$serve_text" in *'
'*) serve_text=$(printf '%s' "$serve_text" | tr '\n' '\t') ;; esac # neither may be in a string
        # Only where it is there: bash looks for a pattern to cut at every length of the text.
        case "$serve_text" in "$serve_mark"*) serve_text=${serve_text#"$serve_mark"} ;; esac
        case "$serve_text" in *[![:space:]]*) ;; *) serve_text=null ;; esac
        serve_text=\"result\":$serve_text ;;
      *) serve_text='"error":{"code":1,"message":"it failed"}' ;;
      esac ;;
    *)
      serve_line=${serve_line#*'"meta":{'} serve_meta=${serve_line%%'},"name":"'*}
      serve_line=${serve_line#*'},"name":"'} serve_data=${serve_line#*',"arguments":'}
      [ "$serve_meta" = "$serve_before" ] || serve_surround
      serve_text=$( (serve_event CHIBI_TOOL_NAME CHIBI_TOOL_ARGS); serve_status=$?; echo .; exit $serve_status)
      serve_status=$?
      serve_text='"result":{"output":'$(serve_quote)',"exit_code":'$serve_status} ;;
    esac
    printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$serve_id" "$serve_text"
  done
}

# serve_surround sets the variables in serve_meta and removes the others of the event before.
serve_surround() {
  eval "unset $serve_variables"
  serve_before=$serve_meta serve_variables=''
  while [ -n "$serve_meta" ]; do
    serve_unquote
    serve_name=$serve_text serve_variables="$serve_variables $serve_text"
    serve_unquote
    export "$serve_name=$serve_text"
  done
}

# serve_event answers the event; its own two variables end with the subshell that it runs in.
serve_event() {
  export "$1=${serve_line%%'"'*}"
  serve_data=${serve_data%'}}'}
  if [ ${#serve_data} -le 32763 ] || serve_fits; then # a character has four bytes at most
    export "$2=$serve_data"
    printf '%s\n' "$serve_data" | { eval "set $serve_options"; answer; }
    serve_status=$?
    case $1:$serve_status in CHIBI_HOOK:0 | CHIBI_TOOL_NAME:*) return "$serve_status" ;; esac
    return 1
  fi
  printf '%s\n' "$serve_data" | {
    (eval "set $serve_options"; answer)
    serve_status=$?
    case $1:$serve_status in CHIBI_HOOK:0 | CHIBI_TOOL_NAME:*) ;; *) serve_status=1 ;; esac
    [ "$(wc -c)" -lt "$(printf '%s\n' "$serve_data" | wc -c)" ] || # else it was not read
      case $1:$serve_status in *:0) serve_status=75 ;; CHIBI_HOOK:1) serve_status=76 ;; esac
    exit "$serve_status"
  }
}

# serve_fits reports whether the data fits into a variable, as its bytes are counted.
serve_fits() { local LC_ALL=C; [ ${#serve_data} -le 131055 ]; }

# serve_unquote moves the first string of JSON in serve_meta to serve_text.
serve_unquote() {
  serve_meta=${serve_meta#*\"} serve_text=''
  while :; do
    serve_part=${serve_meta%%[\"\\]*}
    serve_meta=${serve_meta#"$serve_part"} serve_text=$serve_text$serve_part
    case "$serve_meta" in
    '\"'*) serve_text=$serve_text\" serve_meta=${serve_meta#??} ;;
    '\u00'*) # a control character
      serve_part=${serve_meta#??????} serve_code=${serve_meta%"$serve_part"} serve_meta=$serve_part
      serve_text=$serve_text$(printf '\\0%03o' "0x${serve_code#??}") ;;
    '\'*) serve_part=${serve_meta#??} serve_text=$serve_text${serve_meta%"$serve_part"} serve_meta=$serve_part ;;
    *) break ;;
    esac
  done
  serve_meta=${serve_meta#\"}
  case "$serve_text" in *'\'*) serve_text=$(printf '%b.' "$serve_text") serve_text=${serve_text%.} ;; esac
}

# serve_quote prints serve_text as a string of JSON, without the full stop at its end.
serve_quote() {
  printf '%s\n' "$serve_text" | LC_ALL=C awk '
    BEGIN { for (i = 1; i < 32; i++) control[sprintf("%c", i)] = sprintf("\\u%04x", i); printf "\"" }
    NR > 1 { printf "%s\\n", line }
    {
      gsub(/["\\]/, "\\\\&"); line = $0
      for (c in control) if (index(line, c)) {
        n = split(line, part, c); line = part[1]
        for (i = 2; i <= n; i++) line = line control[c] part[i]
      }
    }
    END { printf "%s\"", substr(line, 1, length(line) - 1) }'
}
