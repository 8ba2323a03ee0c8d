#!/usr/bin/env python3
"""造一个月的发票数据，样子和业务系统导出的一样，包括常见的毛病。"""

import argparse
import random
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

城市 = ("上海", "北京", "杭州", "苏州", "宁波", "无锡", "南京", "广州", "深圳", "成都")
字号 = ("明达", "恒信", "永泰", "华瑞", "金桥", "顺丰达", "安科", "博远", "众合", "立诚", "东方", "瑞祥")
行业 = (
    ("五金", "13", ("不锈钢螺栓", "镀锌角钢", "铝合金支架", "轴承")),
    ("（中国）信息技术", "6", ("软件技术服务费", "系统维护费", "云服务器租用", "数据标注服务")),
    ("物流", "9", ("干线运输费", "城市配送费", "冷链运输费")),
    ("办公用品", "13", ("复印纸", "硒鼓", "文件柜", "白板笔")),
    ("餐饮管理", "6", ("工作餐", "会议用餐")),
    ("农产品", "9", ("鲜鸡蛋", "大米", "食用油")),
    ("咨询（集团）", "6", ("审计服务费", "咨询服务费", "培训费")),
    ("印刷", "13", ("宣传册印刷", "包装盒", "产品说明书")),
)
备注词 = ("合同号 HT-2026-{:03d}", "采购单 CG{:05d}", "见附件清单", "", "", "加急", "项目：新办公楼装修", "第二季度预付")


def 供应商(随机):
    结果 = []
    for 序号 in range(36):
        业, 税率, 货物 = 行业[序号 % len(行业)]
        名称 = f"{城市[随机.randrange(len(城市))]}{字号[序号 % len(字号)]}{业}有限公司"
        结果.append((f"91{310000 + 序号 * 7:06d}MA{随机.randrange(10**8):08d}"[:18], 名称, 税率, 货物))
    return 结果


def main():
    解析器 = argparse.ArgumentParser(description=__doc__)
    解析器.add_argument("--张数", type=int, default=320)
    解析器.add_argument("--种子", type=int, default=20260331)
    解析器.add_argument("--目录", default="data")
    选项 = 解析器.parse_args()
    随机 = random.Random(选项.种子)
    名单 = 供应商(随机)
    目录 = Path(选项.目录)
    目录.mkdir(exist_ok=True)
    (目录 / "供应商.csv").write_text(
        "税号,名称,联系人\n" + "".join(f"{税号},{名称},{'王李张刘陈'[n % 5]}经理\n" for n, (税号, 名称, _, _) in enumerate(名单)),
        encoding="utf-8",
    )
    行 = ["发票代码,发票号码,开票日期,销售方名称,销售方税号,货物名称,金额,税率,税额,价税合计,备注"]
    for 序号 in range(选项.张数):
        税号, 名称, 税率, 货物 = 名单[int(len(名单) * 随机.random() ** 1.5)]
        金额 = Decimal(随机.randrange(2_000, 4_000_000)) / 100
        if 随机.random() < 0.12:  # 税额正好落在半分上
            金额 = Decimal(随机.randrange(100, 9000)) * 10 + Decimal("0.50")
        红字 = 随机.random() < 0.06
        if 红字:
            金额 = -金额
        税额 = (金额 * Decimal(税率) / 100).quantize(Decimal("0.01"), ROUND_HALF_UP)
        if 随机.random() < 0.08:  # 多行明细逐行舍入，整张相差几分
            税额 += Decimal(随机.choice((-5, -4, -3, -2, 2, 3, 4, 5))) / 100
        if 随机.random() < 0.02:
            税额 += Decimal(随机.choice((100, -250, 1300))) / 100
        if 随机.random() < 0.15:
            名称 = 名称.replace("（", "(").replace("）", ")")
        if 随机.random() < 0.05:
            名称 = 名称.replace("有限", "　有限")
        日 = 随机.randrange(1, 32)
        日期 = f"2026-03-{日:02d}" if 随机.random() > 0.03 else f"2026-02-{min(日, 28):02d}"
        备注 = 备注词[随机.randrange(len(备注词))].format(随机.randrange(1, 300))
        if 红字:
            备注 = f"红字信息表编号 3100{随机.randrange(10**8):08d}" if 随机.random() < 0.8 else ""
        号码 = f"{随机.randrange(10**8):08d}"
        行.append(f"{3100260000 + 序号 % 17},{号码},{日期},{名称},{税号},{随机.choice(货物)},{金额},{税率}%,{税额},{金额 + 税额},{备注}")
        if 随机.random() < 0.01:
            行.append(行[-1])
    (目录 / "2026-03.csv").write_text("\n".join(行) + "\n", encoding="utf-8")
    print(f"写了 {len(行) - 1} 张发票，{len(名单)} 家供应商")


if __name__ == "__main__":
    main()
