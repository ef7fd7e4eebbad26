# serve answers all events of a session, which chibi writes to a resident plugin, one on each line. It passes each of
# them to answer, as if the plugin had been started for it.
serve() {
  export CHIBI_HOOK CHIBI_TOOL_NAME
  while IFS= read -r line; do
    id=${line#*'"id":'} id=${id%%,*}
    case "$line" in
    '{"jsonrpc":"2.0","id":'"$id"',"method":"hook",'*)
      CHIBI_HOOK=${line#*',"point":"'} CHIBI_HOOK=${CHIBI_HOOK%%'"'*}
      data=${line#*',"payload":'}
      if result=$(printf '%s\n' "${data%'}}'}" | answer); then
        case "$result" in *'
'*) result=$(printf '%s' "$result" | tr '\n' ' ') ;; esac
        result=\"result\":${result:-null}
      else
        result='"error":{"code":1,"message":"it failed"}'
      fi ;;
    *)
      CHIBI_HOOK='' CHIBI_TOOL_NAME=${line#*',"name":"'} CHIBI_TOOL_NAME=${CHIBI_TOOL_NAME%%'"'*}
      data=${line#*',"arguments":'}
      output=$(printf '%s\n' "${data%'}}'}" | answer) && status=0 || status=$?
      result=\"result\":$(printf '%s\n' "$output" | jq -Rsc --argjson s "$status" '{output: ., exit_code: $s}') ;;
    esac
    printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$result"
  done
}
